import { writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { startPostgres, whyNoPostgres } from "../support/postgres-server.mjs";
import type { Home } from "../support/home.ts";
import { freePort } from "../support/ports.mjs";
import { test, type StartServe } from "../support/serving.ts";
import { installProgram, installSendctl } from "../support/install-program.ts";
import { parsed, root, textOf, userPages } from "./markdown.ts";
import { missingLine, pageWith, ranSteps, scriptOf, stepsOf, type Step } from "./page-script.ts";

const blocks = userPages.flatMap((page) =>
  parsed(textOf(page)).blocks.map((block) => ({ page, ...block })),
);

/** The reference is generated; help.test.ts runs its examples. */
const pages = userPages.filter(
  (page) => page !== "docs/reference.md" && stepsOf(textOf(page)).length > 0,
);

const isUpdating = process.env["UPDATE_REFERENCE"] !== undefined;

/** The servers that replace the hosts named in the pages. */
interface Hosts {
  readonly service: string | undefined;
  readonly postgres: ((schema: string) => string) | undefined;
}

/** Replaces the hosts of a command, and gives `serve` a free port. */
async function withLocalHosts({ line, command, shown }: Step, hosts: Hosts): Promise<Step> {
  const port = await freePort();
  const replaced = command
    .replaceAll("https://sms.example.com", hosts.service ?? "")
    .replaceAll(
      /postgres:\/\/sendctl@db\.example\/sendctl(?:\?schema=(\w+))?/g,
      (_, schema = "docs") => hosts.postgres?.(String(schema)) ?? "",
    )
    .replace(/\bserve (?!.*--port)/, `serve --port ${port} `);
  return { line, command: replaced, shown };
}

/** Replaces port 4010 by a free port in all steps of a page. */
async function withFreePort(steps: readonly Step[]): Promise<Step[]> {
  const port = String(await freePort());
  return steps.map((step) => ({ ...step, command: step.command.replaceAll("4010", port) }));
}

async function hostsOf(text: string, serve: StartServe, home: Home): Promise<Hosts> {
  let service: string | undefined;
  let key = "a-password";
  if (text.includes("https://sms.example.com")) {
    const server = await serve(["--port", "0"], { XDG_DATA_HOME: join(home.folder, "service") });
    service = server.baseUrl;
    key = server.key!;
  }
  await installProgram(home, "pass", `printf '%s\\n' '${key}'`);
  await installSendctl(home);
  // npm takes longer to start than these tests; ci.test.ts runs it.
  await installProgram(home, "npm", `exec '${process.execPath}' --test`);
  return { service, postgres: undefined };
}

describe.concurrent("the examples of", () => {
  for (const page of pages) {
    const text = textOf(page);
    const needsPostgres = stepsOf(text).some(({ command }) => command.includes("db.example"));
    const why = needsPostgres && process.env["CI"] !== "true" ? whyNoPostgres : undefined;
    const title = why === undefined ? `${page} run` : `${page} run (skipped: ${why})`;
    test.skipIf(why !== undefined)(title, { timeout: 240_000 }, async ({ home, serve, expect }) => {
      await cp(join(root, "docs/ci"), home.folder, { recursive: true });
      const postgres = needsPostgres ? await startPostgres() : undefined;
      try {
        const hosts = { ...(await hostsOf(text, serve, home)), postgres: postgres?.url };
        const original = stepsOf(text);
        const steps = await withFreePort(
          await Promise.all(original.map((step) => withLocalHosts(step, hosts))),
        );
        const { stdout } = await home.shell(scriptOf(steps));
        const output = stdout.replaceAll(hosts.service ?? "\0", "https://sms.example.com");
        const ran = ranSteps(original, output);
        if (isUpdating) writeFileSync(join(root, page), pageWith(ran, text));
        const wrong = ran.flatMap((one, index) => {
          const asked = original[index + 1]?.command === "echo $?";
          const missing = isUpdating ? undefined : missingLine(one);
          if ((one.exitCode === 0 || asked) && missing === undefined) return [];
          const { step, exitCode, output } = one;
          return [{ at: `${page}:${step.line}`, run: step.command, exitCode, missing, output }];
        });
        expect(wrong).toStrictEqual([]);
        expect(ran).toHaveLength(original.length);
      } finally {
        await postgres?.stop();
      }
    });
  }
});

describe("blocks of code", () => {
  test("are run, are files, or say why they are not run", ({ expect }) => {
    const others = blocks.filter(
      ({ language, file, notRun }) =>
        !["sh", "console"].includes(language) && file === undefined && notRun === undefined,
    );
    expect(others.map(({ page, line }) => `${page}:${line}`)).toStrictEqual([]);
  });

  test("that are not run are few", ({ expect }) => {
    const marked = blocks.filter(
      ({ notRun }) => notRun !== undefined && !/\.test\.ts runs it/.test(notRun),
    );
    expect(marked.length).toBeLessThanOrEqual(12);
  });
});
