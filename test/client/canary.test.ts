import { existsSync } from "node:fs";
import { describe } from "vitest";
import { test } from "../support/serving.ts";
import { group, page, senderId } from "./sample-responses.ts";
import { filesWith, leaksOf } from "./leaks.ts";
import { key, run, type RunOptions } from "./run-remote.ts";
import { startService, type Script } from "./scripted-service.ts";

/** Commands that send a request. */
const requesting: readonly (readonly string[])[] = [
  ["sender-id", "create", "ACME", "--purpose", "Order updates"],
  ["sender-id", "create", "ACME", "--purpose", "Order updates", "--if-not-exists"],
  ["sender-id", "list"],
  ["sender-id", "list", "--all"],
  ["sender-id", "fetch", "ACME"],
  ["sender-id", "delete", "ACME", "--yes"],
  ["group", "create", "Customers"],
  ["group", "list"],
  ["group", "list", "--all", "--per-page", "1"],
  ["group", "fetch", "1"],
  ["group", "update", "1", "--name", "Friends"],
  ["group", "delete", "1", "--yes"],
  ["api", "GET", "/v1/group"],
  ["api", "POST", "/v1/group", "--body", "{}"],
  ["api", "DELETE", "/v1/group/1"],
];

/** Every command that ends by itself. */
const commands: readonly (readonly string[])[] = [
  ...requesting,
  [],
  ["--version"],
  ["help"],
  ["help", "group", "update"],
  ["sender-id"],
  ["sender-id", "delete", "ACME"],
  ["local", "key", "list"],
  ["local", "key", "revoke", "77"],
  ["local", "integration", "list"],
  ["local", "integration", "delete", "none", "--yes"],
];

const requestingModes = [[], ["--json"], ["--debug"], ["--debug", "--json"]];
const modes = [...requestingModes, ["--dry-run"], ["--dry-run", "--json", "--debug"]];

const inEveryMode = commands.flatMap((args) => modes.map((mode) => [...args, ...mode]));

const requestsInEveryMode = requesting.flatMap((args) =>
  requestingModes.map((mode) => [...args, ...mode]),
);

/** Command lines with the key in the wrong place. */
const slips: readonly (readonly string[])[] = [
  [key],
  ["group", key],
  ["group", "list", key],
  ["help", key],
  ["help", "group", key],
  [`--${key}`],
  ["group", "list", `--${key}`],
  ["group", "list", `--json=${key}`],
  ["group", "list", "--per-page", key],
  ["group", "list", "--page", key],
  ["group", "list", "--timeout", key],
  ["group", "list", "--retries", key],
  ["group", "list", "--output", key],
  ["group", "list", "--base-url", key],
  ["group", "list", "--base-url", `https://x:${key}@api.example`],
  ["group", "list", "--base-url", `http://api.example/${key}`],
  ["group", "list", "--base-url", `https://api.example/?key=${key}`],
  ["group", "list", "--base-url", `http://127.0.0.1:1/${key}`, "--retries", "0"],
  ["group", "create", "A", "--base-url", `http://127.0.0.1:1/${key}`, "--retries", "0"],
  ["group", "list", "--local", "--base-url", key],
  ["sender-id", "fetch", key],
  ["sender-id", "create", key, "--purpose", key],
  ["sender-id", "delete", key],
  ["sender-id", "delete", key, "--yes"],
  ["group", "fetch", key],
  ["group", "update", key, "--name", key, "--sender-id", key, "--birthday-message", key],
  ["group", "update", "1", "--birthday-message", key, "--clear-birthday-message"],
  ["api", key, "/v1/group"],
  ["api", "GET", key],
  ["api", "GET", `/v1/group/${key}?key=${key}`],
  ["api", "GET", "/v1/group", key],
  ["api", "POST", "/v1/group", "--body", key],
  ["api", "POST", "/v1/group", "--body-file", key],
  ["local", key],
  ["local", "key", "create", "--integration", key],
  ["local", "key", "revoke", key],
  ["local", "integration", "delete", key],
  ["local", "integration", "delete", key, "--yes"],
  ["serve", "--port", key],
  ["serve", "--host", key, "--port", "0"],
  ["serve", "--rate-limit", key],
];

const slipsInEveryMode = slips.flatMap((args) => modes.map((mode) => [...mode, ...args]));

/** Echoes the key wherever a service can return text. */
const echo =
  (status: number): Script =>
  ({ headers, head, method, target }, { respond }) => {
    const said = headers["authorization"] ?? "";
    const record =
      method === "DELETE" ? null : { ...group, ...senderId, name: said, [said]: [said] };
    const isList = method === "GET" && /^\/v1\/[a-z-]+(?:\?|$)/.test(target);
    const body = {
      status: status < 300,
      message: `You said ${said}`,
      data: isList ? page([record, { ...record, id: 1 }]) : record,
      errors: { [said]: [said, head] },
    };
    const echoed = {
      "X-Echo": said,
      Location: `https://other.example/?${said}`,
      [`X-${said.slice(7)}`]: "1",
    };
    respond(status, body, echoed);
  };

async function leaksAgainst(
  script: Script,
  lines: readonly (readonly string[])[],
  options: RunOptions = {},
): Promise<string[]> {
  const service = await startService(script);
  const secret = options.env?.["SENDCTL_SECRET_KEY"] ?? key;
  const leaks: string[] = [];
  for (const args of lines) {
    const env = { SENDCTL_BASE_URL: service.baseUrl, ...options.env };
    const ran = await run(args, { ...options, env });
    leaks.push(...leaksOf(ran, secret).map((stream) => `${stream} of ${args.join(" ")}`));
  }
  await service.close();
  // Without a request, nothing could be echoed.
  return service.received.length === 0 ? ["no request was made"] : leaks;
}

describe("a key that the embedded database did not issue", () => {
  test("is not shown or stored anywhere", async ({ home, expect }) => {
    const leaks: string[] = [];
    const env = home.env;
    await run(["group", "create", "Friends"], {
      home: home.folder,
      env: { SENDCTL_SECRET_KEY: "" },
    });
    for (const args of [...inEveryMode, ...slipsInEveryMode]) {
      const ran = await run(args, { home: home.folder, env });
      leaks.push(...leaksOf(ran, key).map((stream) => `${stream} of ${args.join(" ")}`));
    }
    expect(leaks).toStrictEqual([]);
    // A search must have something to search.
    expect(existsSync(home.database)).toBe(true);
    expect(await filesWith(home.folder, key)).toStrictEqual([]);
  });
});

describe("a key that a service echoes", () => {
  test.for([200, 201, 302, 400, 401, 404, 409, 422, 429, 500])(
    "with %i is not repeated",
    async (status, { home, expect }) => {
      const every = [...inEveryMode, ...slipsInEveryMode];
      // With and without JSON in turn: what differs by status is the text of the error.
      const some = requestsInEveryMode.filter((_, index) => index % 2 === status % 2);
      const lines = { 200: requestsInEveryMode, 422: every }[status] ?? some;
      const leaks = await leaksAgainst(echo(status), lines, { home: home.folder });
      expect(leaks).toStrictEqual([]);
      expect(await filesWith(home.folder, key)).toStrictEqual([]);
    },
  );

  test.for([200, 422])("with %i is not repeated at a terminal", async (status, { expect }) => {
    const lines = requestsInEveryMode.filter(([noun]) => noun !== "api");
    for (const terminal of [80, 40]) {
      expect(await leaksAgainst(echo(status), lines, { terminal, keys: "n\n" })).toStrictEqual([]);
    }
  });

  test("is not repeated in a question", async ({ expect }) => {
    const lines = [
      ["sender-id", "delete", key],
      ["group", "delete", "1"],
      ["group", "delete", key],
    ];
    const options = { terminal: 1000, keys: "n\n" };
    expect(await leaksAgainst(echo(200), lines, options)).toStrictEqual([]);
  });

  test("is not repeated in invalid JSON or malformed HTTP", async ({ expect }) => {
    const scripts: readonly Script[] = [
      ({ head }, { respond }) => respond(200, head),
      ({ head }, { respond }) => respond(500, `<pre>${head}`),
      ({ head }, { end }) => end(`HTTP/1.1 200 ${head}\r\n\r\n`),
      ({ head }, { end }) => end(head),
      ({ head }, { hangUp, raw }) => {
        raw(head);
        hangUp();
      },
    ];
    for (const script of scripts) {
      expect(await leaksAgainst(script, requestsInEveryMode)).toStrictEqual([]);
    }
  });
});

describe("a key of another form", () => {
  test.for([
    ["that is short", "k3y.7"],
    ["that has quotes and backslashes", String.raw`sk_can'ary"\7f3a9c51`],
    ["that a URL would encode", "sk_can/ary+7f3a%9c51=="],
    ["that a pattern would take for its own", "sk_$&$1.*^(7f3a9c51"],
  ] as const)("%s is shown nowhere either", async ([, secret], { expect }) => {
    const lines = [...requestsInEveryMode, ["sender-id", "fetch", secret, "--dry-run"]];
    const env = { SENDCTL_SECRET_KEY: secret };
    expect(await leaksAgainst(echo(422), lines, { env })).toStrictEqual([]);
  });
});

describe("a server", () => {
  test.for([[], ["--json"], ["--debug"]])(
    "that receives keys does not log or store them: %j",
    async (mode, { home, serve, expect }) => {
      const { baseUrl, key: issued, stop } = await serve(mode);
      const statuses: number[] = [];
      for (const secret of [key, issued!]) {
        const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
        for (const [method, path, body] of [
          ["GET", "/v1/group", ""],
          ["GET", `/v1/group?key=${secret}`, ""],
          ["GET", `/v1/group/${secret}`, ""],
          ["GET", `/v1/${secret}/group`, ""],
          ["GET", `/v1/sender-id/${secret}?${secret}`, ""],
          ["DELETE", `/v1/sender-id/x${secret}x`, ""],
          ["POST", `/${secret}`, secret],
          ["POST", "/v1/group", `{"name":${secret}}`],
        ] as const) {
          const sent = { method, headers, ...(body !== "" && { body }) };
          const response = await fetch(`${baseUrl}${path}`, sent);
          statuses.push(response.status);
        }
      }
      const { stdout, stderr } = await stop();
      expect(new Set(statuses)).toStrictEqual(new Set([200, 400, 401, 404]));
      expect(stderr).toContain("/v1/group");
      expect(leaksOf({ stdout, stderr }, key)).toStrictEqual([]);
      // Standard output shows the issued key once, by design.
      expect(leaksOf({ stdout: "", stderr }, issued!)).toStrictEqual([]);
      expect(stdout.split(issued!)).toHaveLength(2);
      expect(await filesWith(home.folder, key)).toStrictEqual([]);
      expect(await filesWith(home.folder, issued!)).toStrictEqual([]);
    },
  );
});
