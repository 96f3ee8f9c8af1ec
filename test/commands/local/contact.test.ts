import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe } from "vitest";
import { quietRuntime, runMain, screen, stoppable } from "../../support/built-program.ts";
import { test, type Home } from "../../support/home.ts";
import { inTime, until } from "../../support/waiting.ts";

const [ada, bea] = ["+447911123401", "+447911123402"] as const;

async function file(home: Home, text: string | Uint8Array, name = "a.csv"): Promise<string> {
  const path = join(home.folder, name);
  await writeFile(path, text);
  return path;
}

/** Runs `sendctl local contact` after creating group 1, if it does not exist. */
async function contact(home: Home, ...words: readonly string[]) {
  const { stdout: groups } = await home.run(["group", "list", "-o", "id"]);
  if (groups === "") await home.run(["group", "create", "Friends"]);
  return home.run(["local", "contact", ...words]);
}

async function contactsOf(home: Home): Promise<string> {
  return (await contact(home, "list", "1", "--all", "-o", "csv")).stdout;
}

const header = "phone,first_name,birth_date\r\n";

describe.concurrent("local contact import", () => {
  test("reports the first hundred invalid lines", async ({ home, expect }) => {
    const path = await file(home, `phone\n${"x\n".repeat(250)}`);
    const { exitCode, stderr } = await contact(home, "import", "1", path);
    expect(exitCode).toBe(2);
    expect(stderr.match(/, line \d+, phone/g)).toHaveLength(100);
    expect(stderr).toContain("150 more lines are invalid\n");
  });

  for (const [signal, exitCode] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    // Everything is read before anything is written.
    for (const when of ["reads", "writes"] as const) {
      test(`${signal} ends an import that ${when}, and nothing is imported`, async ({
        home,
        expect,
      }) => {
        await contact(home, "list", "1");
        const stdin = new PassThrough();
        const { onStop, stop, isHeard } = stoppable();
        const stderr = screen(80, (text) => {
          if (text.includes("of 2 contacts written")) stop(signal);
        });
        // Progress is shown after the first second.
        let time = 0;
        const elapsed = () => (time += 1000);
        const runtime = { ...quietRuntime(home.folder, home.env), stdin, elapsed, onStop };
        const args = ["local", "contact", "import", "1", "-"];
        const ended = runMain(args, runtime, [screen(), stderr]);
        stdin.write(`phone\n${ada}\n${bea}`);
        if (when === "writes") stdin.end();
        else {
          await until("it is read", () => isHeard() && stdin.readableLength === 0, 0);
          stop(signal);
        }
        const outcome = await inTime("its end", ended);
        expect(outcome.exitCode).toBe(exitCode);
        expect(outcome.stderr).toMatch(/Interrupted: nothing was imported\n$/);
        expect(await contactsOf(home)).toBe(header);
      });
    }
  }
});
