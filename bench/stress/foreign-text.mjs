/**
 * Sends long and hostile texts in every text field and form of response, prints them in every format, and reads them
 * from files and arguments. Exits with 1 if a command takes more time of the processor than the limit, in milliseconds,
 * or ends with an undocumented exit code.
 *
 *   node bench/stress/foreign-text.mjs [--limit 2000] [--length 1000000] [--only NAME]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { print } from "./report.mjs";

const { values } = parseArgs({
  options: {
    limit: { type: "string", default: "2000" },
    length: { type: "string", default: "1000000" },
    only: { type: "string" },
  },
});
const limit = Number(values.limit);
const length = Number(values.length);
const key = "sk_canary_7f3a9c51e8d24b60";

const repeated = (text) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const texts = {
  letters: repeated("a"),
  spaces: `a${repeated(" ")}b`,
  "spaces and line ends": `a${repeated(`${" ".repeat(999)}\n`)}b`,
  words: repeated("word "),
  brackets: repeated("[{(<"),
  quotes: repeated(`"'`),
  backslashes: repeated("\\"),
  titles: repeated("<title"),
  "marks of two kinds": `a${repeated("\u0301\u0316")}`,
  "joined letters": repeated("\u0915\u094d"),
  emoji: repeated("👩‍"),
  controls: repeated("\u001b[31m\u202e\u0000"),
  digits: repeated("9"),
  dots: repeated("a.b:"),
  "parts of the key": repeated(key.slice(0, -1)),
  "escapes of the key": repeated(String.raw`\u005c\u0073%25%73&#115;`),
  commas: repeated("a,"),
};

const group = { id: 12, uuid: "00000000-0000-4000-8000-000000000012", name: "Customers" };
const rest = { send_birthday: true, send_holiday: null, birthday_message: null };
const record = { ...group, ...rest, created_at: "2026-01-31T08:00:00.000000Z" };
const done = (data, message = "Done") => ({ status: true, message, data });
const nested = (open, middle, close, depth) => open.repeat(depth) + middle + close.repeat(depth);
const withRaw = (value, json) => JSON.stringify(value).replace('"RAW"', () => json);

/** Bodies of 200 and of 422, from a text. */
const successes = {
  "all fields": (text) =>
    done({ ...record, name: text, birthday_message: text, created_at: text, [text]: text }, text),
  id: (text) => done({ ...record, id: text }),
};
const refusals = {
  "text alone": (text) => text,
  "all texts": (text) => ({
    status: false,
    message: [text, text],
    error: { error: { message: text } },
    errors: { name: [text], [text]: text },
  }),
};
const bodies = {
  "nested record": withRaw(done({ ...record, name: "RAW" }), nested("[", "1", "]", 20_000)),
  "nested objects": withRaw(done({ ...record, name: "RAW" }), nested('{"a":', "1", "}", 20_000)),
  "nested to the limit": withRaw(
    done({ ...record, name: "RAW" }),
    nested("[", repeated("1,").slice(0, -1), "]", 90),
  ),
  "many errors": {
    errors: Array.from({ length: 30_000 }, (_, index) => `error ${index} of ${length}`),
  },
  "nested errors": nested('{"error":', '"x"', "}", 20_000),
  "long number": withRaw(done({ ...record, count: "RAW" }), "9".repeat(length)),
  "many long numbers": withRaw(
    done({ ...record, count: "RAW" }),
    `[${repeated(`${"9".repeat(900)},`)}1]`,
  ),
  "many fields": done({
    ...record,
    ...Object.fromEntries(Array.from({ length: length / 10 }, (_, i) => [`f${i}`, i])),
  }),
  "white space": withRaw(done({ ...record, name: "RAW" }), `${repeated(" ")}\n"x"`),
  "unclosed title": `<title${repeated(" ")}`,
  "unclosed strings": repeated(`{"a":"b`),
};
/** Of a refusal, formats differ only in whether stdout has it, too. */
const refusalFormats = ["table", "terminal", "json", "debug"];
const formats = ["table", "terminal", "json", "jsonl", "yaml", "csv", "id", "query", "debug"];

let body = "";
let status = 200;
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const isList = /^\/v1\/group(\?|$)/.test(request.url);
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(status === 200 && isList ? listOf(body) : body);
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const baseUrl = `http://127.0.0.1:${server.address().port}`;

/** Returns the body of a record as that of a list with it. */
function listOf(text) {
  const start = text.indexOf('"data":');
  if (start < 0) return text;
  const numbers = '"current_page":1,"last_page":1,"per_page":2,"total":2';
  return `{"status":true,"message":"Done","data":{"data":[${text.slice(start + 7, -1)},${JSON.stringify({ ...record, id: 1 })}],${numbers}}}`;
}

const home = mkdtempSync(join(tmpdir(), "sendctl-foreign-"));
const launcher = join(import.meta.dirname, "../../bin/sendctl.js");
const atTerminal = join(home, "terminal.cjs");
writeFileSync(
  atTerminal,
  `const { load } = require(${JSON.stringify(launcher)});
load("./rolldown-runtime.cjs");
const { main, processRuntime } = load("./base.cjs");
const screen = (stream) => ({ isTTY: true, columns: 80, on() {}, write: (text, done) => stream.write(text, () => done()) });
const runtime = Object.create(processRuntime(), {
  stdout: { value: screen(process.stdout) },
  stderr: { value: screen(process.stderr) },
});
main(process.argv.slice(2), runtime).then((code) => process.exit(code));`,
);
/** Reports the time of the processor: others may use it, too. */
const meter = join(home, "meter.cjs");
writeFileSync(
  meter,
  `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  require("node:fs").writeSync(3, String((user + system) / 1000));
});`,
);

function run(args, format) {
  const options = {
    table: ["-o", "table"],
    terminal: [],
    query: ["--json", "--query", "@"],
    debug: ["--debug"],
  }[format] ?? ["-o", format];
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    ...(args.includes("--base-url") ? { SENDCTL_SECRET_KEY: key } : {}),
    SENDCTL_NO_HISTORY: "1",
    SENDCTL_NO_CODE_CACHE: "1",
  };
  const program = format === "terminal" ? atTerminal : launcher;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--require", meter, program, ...args, ...options], {
      cwd: home,
      env,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    let stderr = "";
    let bytes = 0;
    let taken = "";
    child.stdout.on("data", (chunk) => (bytes += chunk.length));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.stdio[3].on("data", (chunk) => (taken += chunk));
    const timer = setTimeout(() => child.kill("SIGKILL"), 60 * limit);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stderr, bytes, taken: taken === "" ? Infinity : Number(taken) });
    });
  });
}

const results = [];
let isBad = false;
async function check(name, args, text, code, given) {
  body = typeof text === "string" ? text : JSON.stringify(text);
  status = code;
  const [names, allowed] = code === 200 ? [formats, [0, 2, 10]] : [refusalFormats, [6, 8, 9]];
  await runEach(name, ["--base-url", baseUrl, ...args], given ?? names, allowed);
}

async function runEach(name, args, names, allowed) {
  if (values.only !== undefined && !name.includes(values.only)) return;
  for (const format of names) {
    const ran = await run(args, format);
    results.push({ name: `${name}, ${format}`, ...ran });
    if (ran.taken <= limit && allowed.includes(ran.code)) continue;
    isBad = true;
    const { taken, stderr } = ran;
    print(
      `BAD ${name}, ${format}: exit ${ran.code}, ${Math.round(taken)} ms ${stderr.slice(0, 200)}`,
    );
  }
}

for (const [kind, text] of Object.entries(texts)) {
  for (const [field, make] of Object.entries(successes)) {
    await check(`${kind} as ${field} of a record`, ["group", "fetch", "12"], make(text), 200);
    await check(`${kind} as ${field} in a list`, ["group", "list", "--all"], make(text), 200);
  }
  const select = ["group", "list", "--search", "x", "--sort", "name"];
  await check(`${kind}, selected`, select, successes["all fields"](text), 200, ["table"]);
  for (const [field, make] of Object.entries(refusals)) {
    await check(`${kind} as ${field} of a refusal`, ["group", "fetch", "12"], make(text), 422);
  }
}
const posting = ["api", "POST", "/v1/group", "--body-file"];
const importing = ["local", "contact", "import", "1"];
/** Returns the part of a text that an argument can have. */
const argument = (text) => text.replaceAll("\0", "").slice(0, 30_000);

/** Files and arguments. The database in the home is empty. */
const files = {
  "a manifest's name": (text) => [
    "diff",
    "-f",
    fileOf("manifest.yaml", `groups: [{name: ${JSON.stringify(text)}}]`),
  ],
  "a manifest": (text) => ["diff", "-f", fileOf("manifest.yaml", text)],
  "a contact's name": (text) => [
    ...importing,
    fileOf("c.csv", `phone,first_name\n+14155552671,"${text.replaceAll('"', '""')}"\n`),
  ],
  "a file of contacts": (text) => [...importing, fileOf("c.csv", `phone,first_name\n${text}`)],
  "a body": (text) => [...posting, fileOf("body.json", JSON.stringify({ name: text }))],
  "a body that is not JSON": (text) => [...posting, fileOf("body.json", text)],
  "a behaviour": (text) => ["profile", "set-behaviour", "p", fileOf("behaviour.yaml", text)],
  "an argument": (text) => ["group", "fetch", argument(text)],
  "a base URL": (text) => ["--base-url", `http://127.0.0.1:1/${argument(text)}`, "group", "list"],
  "a query": (text) => ["group", "list", "--json", "--query", argument(text)],
};
function fileOf(name, text) {
  const file = join(home, name);
  writeFileSync(file, text);
  return file;
}
const furtherTexts = {
  nesting: nested("[", "1", "]", length / 2),
  "open brackets": "[".repeat(length),
  "open braces": repeated('{"a":'),
  parentheses: "(".repeat(length),
  slashes: `${"/".repeat(length)}x`,
  anchors: `a: &a [x]\nb: ${repeated("*a ,")}`,
};
await run(["group", "create", "A"], "table");
for (const [kind, text] of Object.entries({ ...texts, ...furtherTexts })) {
  for (const [name, argsFor] of Object.entries(files)) {
    const args = argsFor(text);
    await runEach(`${kind} as ${name}`, args, ["table"], [0, 2, 4, 6, 8, 12]);
  }
}
for (const [kind, text] of Object.entries(bodies)) {
  await check(`${kind}, record`, ["group", "fetch", "12"], text, 200);
  await check(`${kind}, list`, ["group", "list", "--all"], text, 200);
  await check(`${kind}, api`, ["api", "GET", "/v1/group/12"], text, 200);
  await check(`${kind}, refused`, ["group", "fetch", "12"], text, 422);
}
server.close();
rmSync(home, { recursive: true, force: true });
const slowest = results.toSorted((one, other) => other.taken - one.taken).slice(0, 10);
print(`${results.length} commands; the slowest:`);
for (const { name, code, taken, bytes } of slowest) {
  print(`${Math.round(taken)} ms, exit ${code}, ${bytes} bytes: ${name}`);
}
process.exitCode = isBad ? 1 : 0;
