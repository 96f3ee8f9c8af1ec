import { parseDuration } from "../../src/core/time.ts";
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  nat,
  oneof,
  property,
  string,
  tuple,
  uint8Array,
} from "fast-check";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { readFault } from "../../src/server/faults.ts";
import { SendctlError } from "../../src/core/error.ts";
import { quietRuntime, runMain } from "../support/built-program.ts";
import { test, type Home, type Outcome } from "../support/home.ts";
import { anyWord, nastyText } from "./any-json.ts";
import { cases, timeout } from "../support/fuzz-runs.ts";

/** Runs a command in this process with pipes. Endless ones are stopped after 50 ms. */
function run(
  { env, folder }: Home,
  args: readonly string[],
  input: string | Uint8Array = "",
): Promise<Outcome> {
  const isEndless = args.includes("serve") || args.includes("-f") || args.includes("--follow");
  return runMain(args, {
    ...quietRuntime(folder, env, input),
    random: () => 0,
    sleep: async (_, signal) => signal.throwIfAborted(),
    onStop: (stop) => {
      const timer = isEndless ? setTimeout(() => stop("SIGTERM"), 50) : undefined;
      return () => clearTimeout(timer);
    },
    run: async () => ({
      ended: Promise.resolve({ code: 3 }),
      kill: () => {},
      sharesTerminal: false,
    }),
  });
}

/** Documented exit codes of commands without a network, and 3, the code of the program that `local run` starts. */
const documented = new Set([0, 2, 3, 4, 5, 6, 8, 9, 11, 12, 126, 127, 143]);

/** Returns the names of failed checks, followed by the outcome. */
function problemsOf(
  args: readonly string[],
  { exitCode, stdout, stderr }: Outcome,
): readonly string[] {
  const options = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  const isJson = options.includes("--json") && !args.includes("run") && exitCode !== 143;
  const checks = {
    "a defect": exitCode === 1 || stderr.includes("A defect"),
    "a stack trace": !args.includes("--debug") && /^\s+at .*:\d+/m.test(stderr),
    "an undocumented exit code": !documented.has(exitCode ?? -1),
    // The program that `local run` starts has said why it failed.
    "no message":
      ![0, 12, 143].includes(exitCode ?? -1) &&
      !(exitCode === 3 && args.includes("run")) &&
      stderr === "",
    "invalid JSON": isJson && parsed(stdout) === undefined,
    // Of a diff with differences, status says that it was made.
    "a status unlike the exit code":
      isJson && exitCode !== 12 && statusOf(stdout) === (exitCode !== 0),
  };
  const problems = Object.entries(checks).flatMap(([name, hasFailed]) => (hasFailed ? [name] : []));
  return problems.length === 0
    ? []
    : [...problems, `${exitCode} ${stdout.slice(0, 300)}${stderr.slice(0, 300)}`];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the status of an envelope; undefined for other JSON. */
function statusOf(text: string): unknown {
  return (parsed(text) as { readonly status?: unknown } | null | undefined)?.status;
}

const commands =
  `apply|diff|export|schema manifest|schema|api GET /v1/group|api POST /v1/group|api|serve
  |local info|local check|local backup out.backup|local restore out.backup|local reset|local seed|local run
  |local log|local birthdays|local review ACME|local contact import 1 in.csv|local contact list 1
  |local key create|local key list|local key revoke 1 --yes|local integration create Shop|local integration list
  |local integration delete Shop|profile list|profile use prod|profile show|profile delete prod|login|logout
  |doctor|completion bash|sender-id wait ACME|sender-id create ACME|group create Kin
  |group preview 1|group list|group update 1|group fetch 1|group delete 1|sender-id list|sender-id fetch ACME
  |sender-id delete ACME|groups ls|help group|help apply|local`
    .split("|")
    .map((line) => line.trim().split(" "));
const words =
  `-f --file in.yaml - --prune --yes -y --max-deletes --max-deletes=0 --replace --resend-sender-id
  --full --follow --lines --lines=3 --on --on=2026-02-30 --on=02-29 --days --days=366 --days=0 --seed
  --seed=in.yaml -- true --fault --fault=*:status=503 --rate-limit --rate-limit=1 --auto-approve-after=5s
  --auto-approve-after --groups=3 --contacts=5 --sender-ids=2 --integration=Shop --country=GB
  --country=zz --skip-invalid --status --status=APPROVED --status=x --for=APPROVED --timeout=1s --timeout --interval=0
  --body --body={} --body-file=in.csv --json -ojsonl -ocsv -oyaml -oid --output=table -q --debug --dry-run --local
  --profile=prod --profile --base-url=http://127.0.0.1:1 --base-url=x --retries=0 --no-input --with-key
  --no-check --port=0 --host=127.0.0.1 --purpose=Orders --birthday-message=x --database=x.db --database
  --database=. --help --version extra 1 0 -1 .. --all --page --page=2 --per-page=1 --name --name=x --if-not-exists
  --send-birthday --no-send-birthday --clear-sender-id --sender-id=ACME -qojson --output=xml --__proto__ constructor`.split(
    /\s+/,
  );

const line = tuple(
  constantFrom(...commands),
  array(
    oneof({ weight: 6, arbitrary: constantFrom(...words) }, { weight: 1, arbitrary: nastyText }),
    {
      maxLength: 5,
    },
  ),
).map(([command, further]) => [...command, ...further]);

const manifest =
  "sender_ids: [{name: ACME, purpose: Orders}]\ngroups: [{name: Kin, sender_id: ACME}]\n";

describe("any command line", () => {
  test("succeeds or fails with a message", timeout, async ({ home, expect }) => {
    await writeFile(join(home.folder, "in.yaml"), manifest);
    await writeFile(join(home.folder, "in.csv"), "phone\n+447911123456\n");
    await assert(
      asyncProperty(line, async (args) => {
        expect(problemsOf(args, await run(home, args, "sk_x\n"))).toEqual([]);
      }),
      cases(100),
    );
  });
});

describe("any file", () => {
  test("of contacts is imported completely or not at all", timeout, async ({ home, expect }) => {
    await run(home, ["group", "create", "Kin"]);
    const cell = oneof(
      nastyText,
      anyWord("phone first_name birth_date +447911123456 07911123456 1990-02-29"),
      constantFrom("07911 123456", '"', '""', '"a,b"', '"a\nb"', "--02-29", "1990-01-31", ","),
    );
    const table = array(array(cell, { maxLength: 4 }), { maxLength: 6 }).map((rows) =>
      rows.map((row) => row.join(",")).join("\n"),
    );
    const withHead = tuple(
      constantFrom("phone\n", "phone,first_name,birth_date\r\n", "\ufeffphone\n"),
      table,
    );
    const file = oneof(
      table.map((text) => Buffer.from(text)),
      withHead.map((parts) => Buffer.from(parts.join(""))),
      uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
      withHead.map((parts) => Buffer.from(parts.join(""), "utf16le")),
    );
    const options = constantFrom(
      [],
      ["--skip-invalid"],
      ["--country", "GB"],
      ["--skip-invalid", "--json"],
    );
    await assert(
      asyncProperty(file, options, async (bytes, further) => {
        const countContacts = async () => {
          const { stdout } = await run(home, ["local", "contact", "list", "1", "--json"]);
          return (JSON.parse(stdout) as { data: { total: number } }).data.total;
        };
        const before = await countContacts();
        const args = ["local", "contact", "import", "1", "-", ...further];
        const outcome = await run(home, args, bytes);
        expect(problemsOf(args, outcome)).toEqual([]);
        const hasFailed = outcome.exitCode !== 0;
        expect(hasFailed ? await countContacts() : before).toBe(before);
      }),
      cases(100),
    );
  });

  test(
    "is compared as a manifest, or rejected with diagnostics",
    timeout,
    async ({ home, expect }) => {
      const insertion = oneof(
        nastyText,
        anyWord("[ { } ${HOME} ${X null"),
        constantFrom("\n", ": ", "- ", "&a ", "*a ", "!!x ", "---\n"),
      );
      const changed = array(tuple(nat(manifest.length), nat(6), insertion), { maxLength: 4 }).map(
        (changes) => {
          let text = manifest;
          for (const [at, length, inserted] of changes) {
            text = text.slice(0, at) + inserted + text.slice(at + length);
          }
          return Buffer.from(text);
        },
      );
      const bytes = oneof(
        changed,
        uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all)),
      );
      const options = constantFrom([], ["--json"], ["-o", "jsonl"], ["--prune"]);
      await assert(
        asyncProperty(bytes, options, async (input, further) => {
          const args = ["diff", "-f", "-", ...further];
          const outcome = await run(home, args, input);
          expect(problemsOf(args, outcome)).toEqual([]);
          expect([0, 2, 12]).toContain(outcome.exitCode);
        }),
        cases(80),
      );
    },
  );
});

describe("any option value", () => {
  const part = oneof(
    anyWord("group.create group.* * x : = , status 503 600 times retry-after latency 5s -1"),
    anyWord("drop during body html skip every"),
    constantFrom(
      " ",
      "status=503",
      ",times=2",
      ",skip=1",
      "latency=1ms",
      "body=empty",
      "__proto__=1",
    ),
    nastyText,
  );

  test("is a valid injected fault, or rejected with a message", timeout, ({ expect }) => {
    const specification = oneof(
      array(part, { maxLength: 8 }).map((parts) => parts.join("")),
      array(part, { maxLength: 6 }).map((parts) => `group.create:status=503,${parts.join("")}`),
    );
    assert(
      property(specification, (text) => {
        try {
          const fault = readFault(text);
          expect(fault.operations.size).toBeGreaterThan(0);
          expect(fault.every).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(SendctlError);
          expect((error as SendctlError).message).toContain("--fault ");
        }
      }),
      cases(5000),
    );
  });

  test("is a duration that a timer supports, or invalid", timeout, ({ expect }) => {
    const piece = constantFrom(...Array.from("109.-esmh ٣∞"), "99999", "ms");
    const text = oneof(
      array(piece, { maxLength: 6 }).map((all) => all.join("")),
      string(),
    );
    assert(
      property(text, (given) => {
        const milliseconds = parseDuration(given) ?? 0;
        expect(milliseconds).toBeGreaterThanOrEqual(0);
        expect(milliseconds).toBeLessThan(2 ** 31);
      }),
      cases(5000),
    );
  });

  test("is a day of the calendar, or rejected", timeout, async ({ home, expect }) => {
    const digits = nat(99).map((number) => String(number).padStart(2, "0"));
    const day = oneof(
      tuple(constantFrom("2026", "2024", "1900", "9999"), digits, digits).map((all) =>
        all.join("-"),
      ),
      nastyText,
    );
    await assert(
      asyncProperty(day, async (text) => {
        const args = ["local", "birthdays", `--on=${text}`, "--json"];
        const outcome = await run(home, args);
        expect(problemsOf(args, outcome)).toEqual([]);
        const isValid = /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text);
        expect(outcome.exitCode).toBe(isValid ? 0 : 2);
      }),
      cases(100),
    );
  });
});

/** Returns whether a date exists in the calendar. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
