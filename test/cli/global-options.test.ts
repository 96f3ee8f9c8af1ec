import { existsSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import { contentsOf, errorLines, errorPrinted, printed, test } from "../support/home.ts";

const noGroups = "No groups yet · create one: sendctl group create NAME\n";
const emptyPage = { data: [], current_page: 1, last_page: 1, per_page: 15, total: 0 };
const emptyList = printed({ status: true, message: "Groups retrieved", data: emptyPage });
const asTable = { exitCode: 0, stdout: "", stderr: noGroups };
const asJson = { exitCode: 0, stdout: emptyList, stderr: "" };

function misuse(message: string, hint?: string) {
  const { stderr } = errorPrinted("usage", message, hint);
  return { exitCode: 2, stdout: "", stderr };
}

function misuseAsJson(message: string, hint?: string) {
  const { stderr, json } = errorPrinted("usage", message, hint);
  return { exitCode: 2, stdout: json, stderr };
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function answered(operation: string, status: number): RegExp {
  return new RegExp(`^debug: ${operation} returned ${status} in \\d+\\.\\d ms$`);
}

describe.concurrent("a global option is accepted", () => {
  const positions: readonly (readonly [where: string, insert: (option: string[]) => string[]])[] = [
    ["before the noun", (option) => [...option, "group", "list"]],
    ["between noun and verb", (option) => ["group", ...option, "list"]],
    ["after the verb", (option) => ["group", "list", ...option]],
    ["among the verb's options", (option) => ["groups", "ls", "--page=1", ...option, "--page=1"]],
  ];
  for (const [where, insert] of positions) {
    for (const option of [["--json"], ["-o", "json"], ["-ojson"], ["--output=json"], ["-qojson"]]) {
      test(`${where}: ${option.join(" ")}`, async ({ home, expect }) => {
        expect(await home.run(insert(option))).toStrictEqual(asJson);
      });
    }

    test(`${where}: --database`, async ({ home, expect }) => {
      const option = ["--database", "new folder/my.db"];
      await home.run(["group", "create", "Friends", ...option]);
      const outcome = await home.run(insert(option));
      expect(outcome).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Friends") });
      expect(existsSync(home.database)).toBe(false);
    });

    test(`${where}: --quiet`, async ({ home, expect }) => {
      for (const quiet of ["-q", "--quiet"]) {
        expect(await home.run(insert([quiet]))).toStrictEqual({ ...asTable, stderr: "" });
      }
    });

    test(`${where}: all at once`, async ({ home, expect }) => {
      const all = ["--local", "--no-color", "--no-input", "--debug", "--json"];
      const outcome = await home.run(insert(all));
      expect(outcome).toMatchObject({ exitCode: 0, stdout: emptyList });
      expect(outcome.stderr).toMatch(/^debug: group\.list returned 200 in \d+\.\d ms\n$/);
    });
  }

  test("twice, and the rightmost one wins", async ({ home, expect }) => {
    const table = await home.run(["-o", "json", "group", "-o", "json", "list", "-o", "table"]);
    expect(table).toStrictEqual(asTable);
    const json = await home.run(["-o", "table", "group", "list", "-o", "json"]);
    expect(json).toStrictEqual(asJson);
    const args = ["--database=left.db", "group", "--database=mid.db", "create", "--database=r.db"];
    await home.run([...args, "Friends"]);
    expect(
      ["left.db", "mid.db", "r.db"].filter((file) => existsSync(join(home.folder, file))),
    ).toStrictEqual(["r.db"]);
  });

  test("before -- only", async ({ home, expect }) => {
    const created = await home.run(["group", "create", "--", "--json"]);
    expect(created.stdout).toMatch(/^Name {14}--json$/m);
    const fetched = await home.run(["sender-id", "fetch", "--", "--json"]);
    expect(fetched).toStrictEqual({
      exitCode: 4,
      stdout: "",
      stderr: `sendctl: Sender ID not found: --json (not_found, database ${home.database})\n`,
    });
  });
});

describe.concurrent("the format", () => {
  test.for<[args: readonly string[], format: string, expected: object]>([
    [[], "", asTable],
    [[], "json", asJson],
    [["-o", "table"], "json", asTable],
    [["--json"], "table", asJson],
    [["-o", "json"], "table", asJson],
  ])("with %j and SENDCTL_OUTPUT=%s", async ([args, format, expected], { home, expect }) => {
    const env = { SENDCTL_OUTPUT: format };
    expect(await home.run(["group", "list", ...args], env)).toStrictEqual(expected);
  });

  test.for<[args: readonly string[], env: Record<string, string>, message: string]>([
    [["-o", "xml"], {}, '"xml" for --output'],
    [["--output="], {}, '"" for --output'],
    [[], { SENDCTL_OUTPUT: "JSON" }, '"JSON" for SENDCTL_OUTPUT'],
  ])("is refused if it is unknown: %j %j", async ([args, env, message], { home, expect }) => {
    const formats = "use one of table, json, jsonl, csv, yaml, id, markdown";
    const refused = misuse(`invalid output format ${message}`, formats);
    expect(await home.run(["group", "list", ...args], env)).toStrictEqual(refused);
  });

  test("is refused if two options contradict", async ({ home, expect }) => {
    const contradiction = misuseAsJson("--json conflicts with --output table", "pass one of them");
    for (const args of [
      ["group", "list", "--json", "-o", "table"],
      ["-o", "table", "group", "list", "--json"],
      ["--json", "group", "--output=table", "list"],
    ]) {
      expect(await home.run(args)).toStrictEqual(contradiction);
    }
    expect(await home.run(["--json", "group", "list", "-o", "json"])).toStrictEqual(asJson);
  });

  for (const options of [
    "--json",
    "-o json",
    "-ojson",
    "-o table -o json",
    "-qojson",
    "-qo json",
  ]) {
    test(`of an error is JSON with ${options}`, async ({ home, expect }) => {
      const hint = "sendctl group create Customers";
      const refused = misuseAsJson("missing required argument NAME", hint);
      expect(await home.run([...options.split(" "), "group", "create"])).toStrictEqual(refused);
      expect(await home.run(["group", "create", ...options.split(" ")])).toStrictEqual(refused);
    });
  }

  test("of an error is text if --json comes after --", async ({ home, expect }) => {
    const outcome = await home.run(["group", "create", "--", "--json", "--json"]);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    expect(outcome.stderr).toMatch(/^sendctl: group create takes 1 argument/);
  });

  test("of an error is that of SENDCTL_OUTPUT", async ({ home, expect }) => {
    const message = "unknown option '--nam'";
    const hint = "see sendctl group create --help";
    const args = ["group", "create", "--nam"];
    expect(await home.run(args, { SENDCTL_OUTPUT: "json" })).toStrictEqual(
      misuseAsJson(message, hint),
    );
    expect(await home.run([...args, "-o", "table"], { SENDCTL_OUTPUT: "json" })).toStrictEqual(
      misuse(message, hint),
    );
  });
});

describe.concurrent("the database", () => {
  const standard = "data/sendctl/sendctl.db";
  const inHome = ".local/share/sendctl/sendctl.db";

  test.for<[option: string, env: Record<string, string>, file: string]>([
    ["--database=flag.db", { SENDCTL_DATABASE: "env.db" }, "flag.db"],
    ["--quiet", { SENDCTL_DATABASE: "env.db" }, "env.db"],
    ["--quiet", { SENDCTL_DATABASE: "" }, standard],
    ["--quiet", { XDG_DATA_HOME: "" }, inHome],
    ["--quiet", { XDG_DATA_HOME: "data" }, inHome],
  ])("with %s and %j is %s", async ([option, env, file], { home, expect }) => {
    await home.run(["group", "create", "Friends", option], env);
    const files = ["flag.db", "env.db", standard, inHome];
    expect(files.filter((one) => existsSync(join(home.folder, one)))).toStrictEqual([file]);
  });

  test("needs a home folder by default", async ({ home, expect }) => {
    const env = { XDG_DATA_HOME: "", HOME: "" };
    const hint = "set XDG_DATA_HOME, or pass --database FILE";
    for (const args of [
      "group list",
      "group create A",
      "local info",
      "serve",
      "local copy --to c",
    ]) {
      const refused = misuse("no home folder is set (HOME)", hint);
      expect([args, await home.run(args.split(" "), env)]).toStrictEqual([args, refused]);
    }
  });

  test("needs none where it is not used", async ({ home, expect }) => {
    const env = { XDG_DATA_HOME: "", HOME: "" };
    await writeFile(join(home.folder, "a.yaml"), "groups: [{name: A}]\n");
    expect(await home.run(["validate", "a.yaml"], env)).toMatchObject({ exitCode: 0 });
    const node = ["--", process.execPath, "--version"];
    expect(await home.spawn(["local", "run", ...node], env)).toMatchObject({ exitCode: 0 });
    const remote = {
      ...env,
      SENDCTL_BASE_URL: "http://127.0.0.1:9",
      SENDCTL_SECRET_KEY: "k".repeat(16),
    };
    const listed = await home.run(["group", "list", "--retries", "0"], remote);
    expect(listed).toMatchObject({ exitCode: 8 });
    const doctor = await home.run(["doctor"], env);
    expect(doctor.stdout).toContain("no home folder is set");
  });

  test("is accessible to its owner only", async ({ home, expect }) => {
    await home.shell("umask 000; sendctl group create Friends");
    expect(mode(home.database)).toBe("600");
    expect(mode(dirname(home.database))).toBe("700");
    expect(mode(dirname(dirname(home.database)))).toBe("700");
  });

  test("is named in errors", async ({ home, expect }) => {
    await home.shell("mkdir folder; echo 'plain text' > text.db");
    const folder = await home.run(["group", "list", "--database", "folder", "--json"]);
    const path = join(home.folder, "folder");
    const message = `the database ${path} is a folder`;
    const { json, stderr } = errorPrinted("database", message, "name a file");
    expect(folder).toStrictEqual({ exitCode: 11, stdout: json, stderr });

    const text = await home.run(["group", "list", "--database", "text.db"]);
    expect(text).toMatchObject({ exitCode: 11, stdout: "" });
    expect(text.stderr).toMatch(errorLines);
    expect(text.stderr).toContain(`the database ${join(home.folder, "text.db")} `);
  });

  test("needs a name", async ({ home, expect }) => {
    expect(await home.run(["group", "list", "--database="])).toStrictEqual(
      misuse("--database is empty", "name a file"),
    );
    expect(await home.run(["group", "list", "--database"])).toStrictEqual(
      misuse("option --database <file> requires a value", "see sendctl group list --help"),
    );
  });
});

describe.concurrent("the secret key", () => {
  test("of another service is refused and never shown", async ({ home, expect }) => {
    const SENDCTL_SECRET_KEY = "sk_live_of_another";
    const outcome = await home.run(["group", "create", "x", "--json", "--debug"], {
      SENDCTL_SECRET_KEY,
    });
    const message = "this database did not issue the secret key in SENDCTL_SECRET_KEY";
    const hint = "unset it to use the default integration";
    expect(outcome.exitCode).toBe(3);
    const { json, stderr } = errorPrinted("auth", message, hint);
    expect(outcome.stdout).toBe(json);
    expect(outcome.stderr.startsWith(stderr)).toBe(true);
    expect(outcome.stderr + outcome.stdout).not.toContain(SENDCTL_SECRET_KEY);
    expect(contentsOf(home.database)).toBeUndefined();
  });
});

describe.concurrent("--quiet", () => {
  test("hides messages and warnings", async ({ home, expect }) => {
    const args = ["sender-id", "create", "Restaurateur", "--purpose", "x"];
    const { stdout, stderr, exitCode } = await home.run([...args, "--quiet"]);
    expect({ stderr, exitCode }).toStrictEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(/^Name {5}Restaurateur$/m);
    const deletion = ["sender-id", "delete", "Restaurateur", "--yes", "-q"];
    expect(await home.run(deletion)).toStrictEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("still prints errors", async ({ home, expect }) => {
    expect(await home.run(["-q", "group", "fetch", "1"])).toStrictEqual({
      exitCode: 4,
      stdout: "",
      stderr: `sendctl: Group not found: 1 (not_found, database ${home.database})\n`,
    });
    expect(await home.run(["-q", "group", "fetch"])).toStrictEqual(
      misuse("missing required argument GROUP"),
    );
  });
});

describe.concurrent("colour", () => {
  const bold = "\u001b[1mID\u001b[22m";

  test("on a pipe is enabled by FORCE_COLOR only", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    const stdout = async (env: Record<string, string>, ...args: string[]) =>
      (await home.run(["group", "list", ...args], env)).stdout;

    const plain = await stdout({});
    expect(plain).toMatch(/^ID {2}Name/);
    expect(await stdout({ FORCE_COLOR: "1" })).toContain(bold);
    expect(await stdout({ FORCE_COLOR: "true" })).toContain(bold);
    expect(await stdout({ FORCE_COLOR: "0" })).toBe(plain);
    expect(await stdout({ FORCE_COLOR: "1" }, "--no-color")).toBe(plain);
    expect(await stdout({ FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(plain);
    expect(await stdout({ FORCE_COLOR: "1", NO_COLOR: "" })).toContain(bold);
  });

  test("tells the statuses of sender IDs apart", async ({ home, expect }) => {
    for (const status of ["APPROVED", "REJECTED", "PENDING"]) {
      await home.run(["sender-id", "create", status, "--purpose", "Orders"]);
      await home.run(["local", "review", status, "--status", status]);
    }
    const { stdout } = await home.run(["sender-id", "list"], { FORCE_COLOR: "1" });
    for (const [status, colour] of [
      ["APPROVED", 32],
      ["REJECTED", 31],
      ["PENDING", 33],
    ] as const) {
      expect(stdout).toContain(`\u001b[${colour}m${status}\u001b[39m`);
    }
  });

  test("is not used in JSON, errors and messages", async ({ home, expect }) => {
    const env = { FORCE_COLOR: "1" };
    expect(await home.run(["group", "list", "--json"], env)).toStrictEqual(asJson);
    expect(await home.run(["group", "list"], env)).toStrictEqual(asTable);
    expect(await home.run(["group", "fetch"], env)).toStrictEqual(
      misuse("missing required argument GROUP"),
    );
  });
});

describe.concurrent("--debug", () => {
  test("shows each operation on stderr", async ({ home, expect }) => {
    const create = ["sender-id", "create", "ACME", "--purpose", "x", "--if-not-exists", "--debug"];
    const created = (await home.run(create)).stderr.split("\n");
    expect(created[0]).toMatch(answered("sender-id.fetch", 404));
    expect(created[1]).toMatch(answered("sender-id.list", 200));
    expect(created[2]).toMatch(answered("sender-id.create", 201));
    expect(created.slice(3)).toStrictEqual(["Sender ID ACME created", ""]);

    const found = (await home.run(create)).stderr.split("\n");
    expect(found[0]).toMatch(answered("sender-id.fetch", 200));
    expect(found.slice(1)).toStrictEqual(["Sender ID ACME already exists", ""]);
  });

  test("adds the stack to the message and hint of an error", async ({ home, expect }) => {
    const args = ["group", "list", "--database", home.folder];
    const plain = (await home.run(args)).stderr;
    expect(plain).toMatch(errorLines);
    const debugged = (await home.run([...args, "--debug"])).stderr;
    expect(debugged.startsWith(plain)).toBe(true);
    expect(debugged).toMatch(/^\s+at /m);
  });
});

test("an empty SENDCTL_BASE_URL counts as unset", async ({ home, expect }) => {
  expect(await home.run(["group", "list"], { SENDCTL_BASE_URL: "" })).toStrictEqual(asTable);
});

test("--local conflicts with --base-url", async ({ home, expect }) => {
  const args = ["group", "list", "--local", "--base-url", "https://sms.example.com"];
  expect(await home.run(args)).toStrictEqual(
    misuse("--local conflicts with --base-url", "pass one of them"),
  );
});
