import { assert, asyncProperty, constantFrom, record, string } from "fast-check";
import { parse } from "yaml";
import { describe } from "vitest";
import { writeConfig } from "../support/config-file.ts";
import { cases, timeout } from "../support/fuzz-runs.ts";
import { runAtTerminal, test } from "../support/home.ts";
import { answering, group, page } from "./sample-responses.ts";
import { run, type Run } from "./run-remote.ts";
import { startService, type Script } from "./scripted-service.ts";

/** Encodings that a service may use for a character of a key that it echoes. */
type Encoding = keyof typeof encodings;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");

/** Escapes text for a JSON string, without the quotes. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const entities = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\\": "&#92;",
} as const;

/** Each encodes a character inside a JSON string. */
const encodings = {
  plain: inJson,
  slash: (one: string) => (one === "/" ? String.raw`\/` : inJson(one)),
  lower: (one: string) => `\\u${hex(one.charCodeAt(0), 4)}`,
  upper: (one: string) => `\\u${hex(one.charCodeAt(0), 4).toUpperCase()}`,
  percent: (one: string) => `%${hex(one.charCodeAt(0), 2)}`,
  "upper percent": (one: string) => `%${hex(one.charCodeAt(0), 2).toUpperCase()}`,
  "percent of a URL": (one: string) => inJson(encodeURIComponent(one)),
  entity: (one: string) => `&#${one.charCodeAt(0)};`,
  "upper entity": (one: string) => `&#x${hex(one.charCodeAt(0), 2).toUpperCase()};`,
  "padded entity": (one: string) => `&#x${hex(one.charCodeAt(0), 6)};`,
  "entity of HTML": (one: string) =>
    one.replace(/[&<>"'\\]/, (found) => entities[found as keyof typeof entities]),
  wrapped: (one: string) => `${inJson(one)}\\n  `,
} as const satisfies Readonly<Record<string, (one: string) => string>>;

const encodingNames = Object.keys(encodings) as readonly Encoding[];

const plainOf: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(entities).map(([one, entity]) => [entity, one]),
);

/** Single decoding steps. */
const decoders: readonly ((text: string) => string)[] = [
  (text) =>
    text.replace(/\\u([0-9a-f]{4})/gi, (_, unit: string) =>
      String.fromCharCode(parseInt(unit, 16)),
    ),
  (text) => text.replace(/\\([/"\\'])/g, "$1"),
  (text) =>
    text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
  (text) =>
    text.replace(/&#(x?)([0-9a-f]+);/gi, (_, x: string, code: string) =>
      String.fromCharCode(parseInt(code, x === "" ? 10 : 16)),
    ),
  (text) => text.replace(/&(amp|lt|gt|quot);/g, (found) => plainOf[found]!),
];

/** Returns whether a text reveals a key after its lines are joined and it is decoded repeatedly. */
function reveals(text: string, key: string): boolean {
  const joined = text.replaceAll(/[\s─-╿]/g, "");
  const seen = [text, joined];
  for (const start of [text, joined]) {
    let now = start;
    for (let round = 0; round < 4; round += 1) {
      for (const decode of decoders) {
        now = decode(now);
        seen.push(now);
      }
    }
  }
  return seen.some((one) => one.includes(key));
}

/** A placeholder for the key: a character that nothing else contains. */
const place = "\uE000";

/** Echoes the key wherever a body can contain it, in an encoding that is valid inside a JSON string. */
function echo(encoded: string, status: number): Script {
  const said = `You said Bearer ${place}, did you? <b>${place}</b>`;
  const shown = { ...group, name: said, [`x-${place}`]: [`${"wide ".repeat(5)}${place}`] };
  return ({ target }, { respond }) => {
    const isList = /\/v1\/group(?:\?|$)/.test(target);
    const data = isList ? page([shown, { ...shown, id: 1 }]) : shown;
    const body = { status: status < 300, message: said, data, errors: { [said]: [said] } };
    const text = JSON.stringify(body).replaceAll(place, () => encoded);
    respond(status, text, { "X-Echo": encoded });
  };
}

const commands = [
  ["group", "fetch", "12"],
  ["group", "list"],
  ["group", "list", "--all"],
  ["group", "create", "A"],
  ["group", "update", "12", "--name", "A"],
  ["group", "delete", "12", "--yes"],
  ["api", "GET", "/v1/group/12"],
] as const;

async function ranAgainst(
  script: Script,
  args: readonly string[],
  secret: string,
  terminal?: number,
): Promise<Run> {
  const service = await startService(script);
  const env = { SENDCTL_SECRET_KEY: secret, SENDCTL_BASE_URL: service.baseUrl };
  const ran = await run([...args, "--retries", "0"], {
    env,
    ...(terminal === undefined ? {} : { terminal }),
  });
  await service.close();
  // Without a request, nothing could be echoed.
  if (service.received.length === 0) throw new Error(`No request was made: ${ran.stderr}`);
  return ran;
}

/** Keys that start with text that is never printed otherwise. */
const keys = string({
  unit: constantFrom(...Array.from("abcXYZ0189/+=_-.:$&%#'\"\\<>{}[](),;!?*^~`|@")),
  minLength: 6,
  maxLength: 40,
}).map((rest) => `Zq${rest}`);

describe("a key that a service sends back", () => {
  test("is never revealed, whatever its encoding and layout", timeout, async ({ expect }) => {
    const attacks = record({
      key: keys,
      name: constantFrom(...encodingNames),
      format: constantFrom("table", "json", "jsonl", "csv", "yaml", "id"),
      width: constantFrom(undefined, 30, 47, 80, 200),
      command: constantFrom(...commands),
      debug: constantFrom([], ["--debug"]),
      status: constantFrom(200, 200, 422, 500),
    });
    await assert(
      asyncProperty(attacks, async (attack) => {
        const { key, name, width, command, debug, status } = attack;
        const isRaw = command[0] === "api" && attack.format !== "json";
        const format = isRaw ? "table" : attack.format;
        const encoded = Array.from(key, encodings[name]).join("");
        const args = [...command, "--output", format, ...debug];
        const { stdout, stderr } = await ranAgainst(echo(encoded, status), args, key, width);
        expect(reveals(`${stdout}\n${stderr}`, key)).toBe(false);
        if (format === "json") JSON.parse(stdout);
        if (format === "yaml") parse(stdout);
      }),
      cases(400),
    );
  });

  test("is hidden if it is that of another profile, or short beside that one", async ({
    home,
    expect,
  }) => {
    const secretKey = "sk_of_another_service";
    await writeConfig(home, { profiles: { other: { baseUrl: "https://a.example", secretKey } } });
    // Escaped, as the other key could be. The terminal breaks the long word within each of them.
    for (const [encoded, key] of [
      [secretKey, secretKey],
      [String.raw`k3y:56\u0037`, "k3y:567"],
    ] as const) {
      const service = await startService(echo(`xxxx${encoded}`.repeat(20), 200));
      const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: "k3y:567" };
      const ran = await runAtTerminal(home, ["group", "fetch", "12"], { columns: 30, env });
      await service.close();
      expect(ran.stdout).toContain("[hidden]");
      expect(reveals(ran.stdout + ran.stderr, key), key).toBe(false);
    }
  });

  test("is hidden in a message that a narrow terminal would break within it", async ({
    expect,
  }) => {
    const script = echo("%5a%71%61%61%61%61", 200);
    const update = ["group", "update", "12", "--name", "A"];
    const { stderr } = await ranAgainst(script, update, "Zqaaaa", 30);
    expect(stderr.replaceAll(/\s/g, "")).not.toContain("%61");
  });

  test("is hidden in the records of a local database, at any width", async ({ home, expect }) => {
    const { stdout } = await home.run(["local", "key", "create", "--json"]);
    const key = (JSON.parse(stdout) as { data: { secret_key: string } }).data.secret_key;
    await home.run(["group", "create", `It is ${key}`, "--birthday-message", `/${key}/`]);
    for (const columns of [30, 40, 60, 80, 200]) {
      for (const args of [["group", "fetch", "1"], ["group", "list"], ["doctor"]]) {
        const env = { SENDCTL_SECRET_KEY: key, NO_COLOR: "1" };
        const ran = await runAtTerminal(home, [...args, "--database", home.database], {
          columns,
          env,
        });
        expect(ran.stdout).not.toBe("");
        expect(reveals(ran.stdout + ran.stderr, key), `${args.join(" ")} at ${columns}`).toBe(
          false,
        );
      }
    }
  });

  test("is searched for in linear time in a hostile body", timeout, async ({ expect }) => {
    const key = String.raw`Zq\\\\''""%%&&#x\\\\//`;
    const bodies = ["\\", "\\\\u005c", "%25", "&amp;", "'", '"', "Zq\\\\\\\\''\"\"", "Z\\"];
    for (const one of bodies) {
      const body = one.repeat(Math.ceil(200_000 / one.length));
      const script: Script = answering(200, body);
      const { exitCode } = await ranAgainst(script, ["api", "GET", "/v1/group"], key);
      expect(exitCode).toBe(0);
    }
  });
});
