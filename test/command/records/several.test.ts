import { describe } from "vitest";
import { quietRuntime, runMain, stoppable } from "../../support/built-program.ts";
import {
  contentsOf,
  dataOf,
  insertGroups,
  manyGroups,
  test,
  type Home,
} from "../../support/home.ts";
import { until } from "../../support/waiting.ts";

/** Creates groups 1 to 3 and the sender IDs ACME and Bakery. */
async function stock(home: Home): Promise<unknown> {
  for (const name of ["Customers", "Friends", "Staff"]) await home.run(["group", "create", name]);
  for (const name of ["ACME", "Bakery"]) {
    await home.run(["sender-id", "create", name, "--purpose", "x"]);
  }
  return contentsOf(home.database);
}

async function groupIds(home: Home): Promise<string> {
  return (await home.run(["group", "list", "--all", "-o", "id"])).stdout;
}

interface Failed {
  readonly record: string;
  readonly kind: string;
}

describe.concurrent("fetch of several records", () => {
  test("reads lines or NUL-separated records from standard input", async ({ home, expect }) => {
    await stock(home);
    const lines = await home.run(["group", "fetch", "-", "-o", "id"], {}, "3\r\n\nFriends\n1");
    expect(lines).toMatchObject({ exitCode: 0, stdout: "3\n2\n1\n" });
    const column = await home.run(
      ["group", "fetch", "-", "-o", "id"],
      {},
      '"3"\r 1 \r\n" Friends"\t\n""\n',
    );
    expect(column).toMatchObject({ exitCode: 0, stdout: "3\n1\n2\n" });
    const powershell = Buffer.from("\ufeff3\r\nFriends\r\n", "utf16le");
    const wide = await home.run(["group", "fetch", "-", "-o", "id"], {}, powershell);
    expect(wide).toMatchObject({ exitCode: 0, stdout: "3\n2\n" });
    const wrong = await home.run(["group", "fetch", "-"], {}, "1\n\n..\n");
    expect(wrong).toMatchObject({ exitCode: 2, stdout: "" });
    expect(wrong.stderr).toContain("standard input, line 3: ");
    const nul = await home.run(["sender-id", "fetch", "-", "-0", "-o", "id"], {}, "ACME\0Bakery\0");
    expect(nul).toMatchObject({ exitCode: 0, stdout: "ACME\nBakery\n" });
    const none = await home.run(["group", "fetch", "-", "--json"]);
    expect(none.exitCode).toBe(0);
    expect(dataOf(none)).toMatchObject({ data: [] });
  });

  test.for([
    [["group", "fetch", "1", ".."], ""],
    [["group", "fetch", "-0", "1"], ""],
    [["group", "fetch", "-"], "\u00ff"],
  ] as const)(
    "prints nothing if an argument is invalid: %j",
    async ([args, input], { home, expect }) => {
      await stock(home);
      const bytes = input === "" ? "" : String.raw`printf '\377\n' | `;
      const outcome = await home.shell(`${bytes}sendctl ${args.join(" ")}`);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    },
  );
});

describe.concurrent("delete of several records", () => {
  test("deletes a thousand records from standard input", async ({ home, expect }) => {
    const rows = Array.from({ length: 1001 }, (_, index) => ({ name: `G${index}`, message: "Hi" }));
    await insertGroups(home, rows);
    const ids = (await groupIds(home)).split("\n").slice(1).join("\n");
    const outcome = await home.run(["group", "delete", "-", "--yes"], {}, ids);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "1000 groups deleted\n" });
    expect(await groupIds(home)).toBe("1001\n");
  });

  test("ends at a signal, with those that were not deleted", async ({ home, expect }) => {
    await insertGroups(home, manyGroups(5000));
    const ids = await groupIds(home);
    const { onStop, stop } = stoppable();
    const runtime = { ...quietRuntime(home.folder, home.env, ids), onStop };
    const deleting = runMain(["group", "delete", "-", "--yes", "--json"], runtime);
    const left = (): number => (contentsOf(home.database) as readonly unknown[][])[1]!.length;
    await until("the first groups are deleted", () => left() < 5000);
    stop("SIGINT");
    const { exitCode, stdout } = await deleting;
    expect(exitCode).toBe(130);
    const { data } = JSON.parse(stdout) as { data: { deleted: string[]; failed: Failed[] } };
    expect(data.failed.length).toBeGreaterThan(0);
    expect([data.deleted.length, data.failed.length]).toStrictEqual([5000 - left(), left()]);
  });
});
