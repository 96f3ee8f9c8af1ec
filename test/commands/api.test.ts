import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import {
  errorLines,
  expectRefusals,
  type Home,
  type Outcome,
  withoutSource,
} from "../support/home.ts";
import { groupsOf, test, type StartHere } from "../support/serving.ts";

/** Timestamps and uuids, which differ between two databases with the same records. */
const generated = /\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}/g;

/** Runs the same command line in both modes, with a separate database for each. */
async function inBothModes(home: Home, serveHere: StartHere) {
  const { client, stop } = await serveHere(["--database", "served.db"]);
  const run = async (args: readonly string[]): Promise<readonly [Outcome, Outcome]> => {
    const outcomes = await Promise.all([
      home.run(["api", ...args], client),
      home.run(["api", ...args]),
    ]);
    const [served, embedded] = outcomes.map(({ exitCode, stdout, stderr }) => ({
      exitCode,
      stdout: stdout.replaceAll(generated, "generated").replace(/,\s*"request_id": "[^"]*"/, ""),
      // Only remote writes print the target.
      stderr: withoutSource(stderr.replace(/^→ .*\n/, "")),
    }));
    return [served!, embedded!];
  };
  return { run, client, stop };
}

const group = '{"name":"Café ☕","birthday_message":"Hi {first_name}"}';

describe.concurrent("api responds alike in both modes", () => {
  test("every operation", async ({ home, serveHere, expect }) => {
    const { run } = await inBothModes(home, serveHere);
    const steps: readonly (readonly [line: readonly string[], exitCode: number])[] = [
      [["POST", "/v1/sender-id", "--body", '{"name":"A/B","purpose":"Offers"}'], 0],
      [["GET", "/v1/sender-id"], 0],
      [["get", "/v1/sender-id/A%2FB"], 0],
      [["POST", "/v1/group", "--body", group], 0],
      [["PUT", "/v1/group/1", "--body", '{"sender_id":"A/B","send_holiday":true}'], 0],
      [["GET", "/v1/group/1"], 0],
      [["GET", "/v1/group?perPage=1&page=1"], 0],
      [["DELETE", "/v1/group/1"], 0],
      [["DELETE", "/v1/sender-id/A%2FB"], 0],
    ];
    for (const [args, exitCode] of steps) {
      for (const format of [[], ["--json"]]) {
        if (format.length > 0 && args[0] !== "GET") continue;
        const [served, embedded] = await run([...args, ...format]);
        expect({ args, ...embedded }).toStrictEqual({ args, ...served });
        expect({ args, exitCode: served.exitCode, stderr: served.stderr }).toStrictEqual({
          args,
          exitCode,
          stderr: "",
        });
        expect(JSON.parse(served.stdout)).toMatchObject({ status: true });
      }
    }
  });

  const refusals: readonly (readonly [line: readonly string[], exitCode: number])[] = [
    [["GET", "/v1/group/9"], 4],
    [["GET", "/v1/sender-id/%1b%5b31m%e2%80%ae"], 4],
    [["GET", "/v1/nothing"], 4],
    [["GET", "/v2/group"], 4],
    [["GET", "/"], 4],
    [["GET", "/v1/../v1/group"], 4],
    [["GET", "/v1/sender-id/%zz"], 6],
    [["GET", "/v1/group?perPage=0"], 6],
    [["GET", "/v1/group?perPage=1&perPage=2"], 6],
    [["DELETE", "/v1/group"], 6],
    [["PATCH", "/v1/group/1"], 6],
    [["POST", "/v1/group"], 6],
    [["POST", "/v1/group", "--body", ""], 6],
    [["POST", "/v1/group", "--body", "{"], 6],
    [["POST", "/v1/group", "--body", "[]"], 6],
    [["POST", "/v1/group", "--body", '{"name":"","colour":"red"}'], 6],
    [["POST", "/healthz"], 6],
  ];
  test("refusals", async ({ home, serveHere, expect }) => {
    const { run } = await inBothModes(home, serveHere);
    for (const [args, exitCode] of refusals) {
      for (const format of [[], ["--json"]]) {
        const [served, embedded] = await run([...args, ...format]);
        expect({ args, ...embedded }).toStrictEqual({ args, ...served });
        expect({ args, exitCode: served.exitCode }).toStrictEqual({ args, exitCode });
        expect(JSON.parse(served.stdout)).toMatchObject({ status: false, data: null });
        expect(served.stderr).toMatch(errorLines);
      }
    }
  });

  test("a path that Git Bash has rewritten", async ({ home, expect }) => {
    for (const path of ["C:/Program Files/Git/v1/group", "D:\\msys64/v1/group"]) {
      const { exitCode, stderr } = await home.run(["api", "GET", path]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain("MSYS_NO_PATHCONV=1 sendctl api GET /v1/group\n");
    }
  });

  test("requests without an operation", async ({ home, serveHere, expect }) => {
    const { run } = await inBothModes(home, serveHere);
    for (const [args, exitCode] of [
      [["GET", "/healthz"], 0],
      [["GET", "/openapi.json"], 0],
      [["HEAD", "/v1/group"], 0],
      [["HEAD", "/v1/group/9"], 4],
      [["OPTIONS", "/v1/group"], 0],
      [["OPTIONS", "/v1/nothing"], 4],
    ] as const) {
      for (const format of [[], ["--json"]]) {
        const [served, embedded] = await run([...args, ...format]);
        expect({ args, ...embedded }).toStrictEqual({ args, ...served });
        expect({ args, exitCode: served.exitCode }).toStrictEqual({ args, exitCode });
      }
    }
  });

  test("a body over 64 KiB", async ({ home, serveHere, expect }) => {
    const { run } = await inBothModes(home, serveHere);
    await writeFile(join(home.folder, "long.json"), `{"name":"Friends"}${" ".repeat(65_536)}`);
    const file = join(home.folder, "long.json");
    const [served, embedded] = await run(["POST", "/v1/group", "--body-file", file]);
    expect(embedded).toStrictEqual(served);
    expect(served.exitCode).toBe(6);
    expect(await groupsOf(home)).toStrictEqual([]);
  });

  test("unknown methods", async ({ home, serveHere, expect }) => {
    const { run, client } = await inBothModes(home, serveHere);
    for (const method of ["FRIEND", "CONNECT", "TRACE"]) {
      const [served, embedded] = await run([method, "/v1/group", "--retries", "0"]);
      // Rejected with one line, either by the command or by the service.
      expect([2, 6]).toContain(served.exitCode);
      expect(embedded.exitCode).toBe(served.exitCode);
      expect(served.stderr).toMatch(errorLines);
    }
    expect(await groupsOf(home, client)).toStrictEqual([]);
  });
});

describe.concurrent("the body of api", () => {
  test("is read from --body, --body-file or standard input", async ({
    home,
    serveHere,
    expect,
  }) => {
    const { client } = await serveHere();
    await writeFile(join(home.folder, "group.json"), group);
    const pass = `export SENDCTL_BASE_URL='${client["SENDCTL_BASE_URL"]}' SENDCTL_SECRET_KEY='${client["SENDCTL_SECRET_KEY"]}'\n`;
    const ways = [
      `sendctl api POST /v1/group --body '${group}' -q`,
      "sendctl api POST /v1/group --body-file group.json -q",
      "sendctl api POST /v1/group - -q < group.json",
      "sendctl api POST /v1/group --body-file - -q < group.json",
    ];
    for (const mode of ["", pass]) {
      for (const way of ways) {
        const { exitCode, stdout, stderr } = await home.shell(mode + way);
        expect({ way, exitCode, stderr }).toStrictEqual({ way, exitCode: 0, stderr: "" });
        expect(JSON.parse(stdout)).toMatchObject({
          data: { name: "Café ☕", birthday_message: "Hi {first_name}" },
        });
      }
    }
    expect(await groupsOf(home)).toHaveLength(8);
  });

  test("is rejected over 16 MiB without reading all of it", async ({ home, expect }) => {
    const large = join(home.folder, "large.json");
    await writeFile(large, "");
    await truncate(large, 2 ** 33);
    const args = ["api", "POST", "/v1/group", "--body-file", "large.json", "--json"];
    const file = await home.run(args);
    const input = await home.shell("head -c 17000000 large.json | sendctl api POST /v1/group -");
    for (const outcome of [file, input]) expect(outcome.exitCode).toBe(2);
    expect(JSON.parse(file.stdout)).toMatchObject({ error: { kind: "usage" } });
  });

  test("is rejected if it is not UTF-8", async ({ home, serveHere, expect }) => {
    const { client } = await serveHere();
    await writeFile(join(home.folder, "latin1.json"), Buffer.from('{"name":"Café"}', "latin1"));
    for (const env of [{}, client]) {
      const args = ["api", "POST", "/v1/group", "--body-file", "latin1.json"];
      const refused = await home.run(args, env);
      expect([2, 6]).toContain(refused.exitCode);
    }
    const piped = await home.shell("sendctl api POST /v1/group - < latin1.json");
    expect([2, 6]).toContain(piped.exitCode);
    expect(await groupsOf(home)).toStrictEqual([]);
  });

  test("is rejected if it is given twice or cannot be read", async ({ home, expect }) => {
    await writeFile(join(home.folder, "group.json"), group);
    const invalid = [
      ["--body", group, "--body-file", "group.json"],
      ["--body", group, "-"],
      ["--body-file", "group.json", "-"],
      ["--body", group, "--body-file", "-"],
      ["--body-file", "missing.json"],
      ["--body-file", "."],
      ["--body-file", ""],
      ["group.json"],
      [group],
      ["-", "-"],
    ];
    await expectRefusals(
      expect,
      home,
      "api POST /v1/group",
      invalid.map((args) => [args, 2]),
    );
    expect(await groupsOf(home)).toStrictEqual([]);
  });
});

describe.concurrent("the request of api", () => {
  const invalid: readonly (readonly [args: readonly string[], argument: string])[] = [
    [[], "METHOD"],
    [["GET"], "PATH"],
    [["", "/v1/group"], "METHOD"],
    [["G ET", "/v1/group"], "METHOD"],
    [["GET\r\nX: y", "/v1/group"], "METHOD"],
    [["GÉT", "/v1/group"], "METHOD"],
    [["/v1/group", "GET"], "METHOD"],
    [["GET", ""], "PATH"],
    [["GET", "v1/group"], "PATH"],
    [["GET", "http://127.0.0.1/v1/group"], "PATH"],
    [["GET", "/v1/sender-id/A B"], "PATH"],
    [["GET", "/v1/sender-id/Café"], "PATH"],
    [["GET", "/v1/group#1"], "PATH"],
    [["GET", "/v1/group HTTP/1.1\r\nX: y"], "PATH"],
    [["GET", "/v1/sender-id/\u001b[31m"], "PATH"],
  ];
  for (const [args, argument] of invalid) {
    test(`is rejected for ${argument}: ${JSON.stringify(args)}`, async ({ home, expect }) => {
      for (const env of [{}, { SENDCTL_BASE_URL: "http://127.0.0.1:9", SENDCTL_SECRET_KEY: "k" }]) {
        const { exitCode, stdout, stderr } = await home.run(["api", ...args], env);
        expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: "" });
        expect(stderr).toMatch(/^sendctl: [^\p{Cc}]+\n(?:hint: [^\p{Cc}]+\n)?$/u);
        expect(stderr).toContain(argument);
      }
    });
  }

  test("is announced with its target if it writes, but not if it reads", async ({
    home,
    serveHere,
    expect,
  }) => {
    const { client, baseUrl } = await serveHere();
    const created = await home.run(["api", "POST", "/v1/group", "--body", group], client);
    expect(created.stderr).toBe(`→ ${baseUrl}\n`);
    const read = await home.run(["api", "GET", "/v1/group"], client);
    expect(read.stderr).toBe("");
  });
});

test("a relative --body-file is resolved against the working directory of the runtime", async ({
  home,
  expect,
}) => {
  await writeFile(join(home.folder, "body.json"), '{"name":"Friends"}');
  const { exitCode } = await home.run(["api", "POST", "/v1/group", "--body-file", "body.json"]);
  expect(exitCode).toBe(0);
});

test("a path without /v1 that is not found has a hint", async ({ home, expect }) => {
  const missing = await home.run(["api", "GET", "/group?perPage=1"]);
  expect(missing.exitCode).toBe(4);
  expect(missing.stderr).toMatch(/^hint: sendctl api GET '\/v1\/group\?perPage=1'$/m);
  const under = await home.run(["api", "GET", "/v1/nothing"]);
  expect(under.stderr).not.toContain("hint: sendctl api");
});
