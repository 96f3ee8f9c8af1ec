import { array, assert, asyncProperty, constantFrom, oneof, tuple } from "fast-check";
import { describe } from "vitest";
import { runAtTerminal, test } from "../support/home.ts";

const commands =
  "sender-id sender-ids group groups help create list ls fetch get update delete rm".split(" ");
const values = ["ACME", "1", "0", "..", "", "-", "--", "-1", "🎉", "constructor", "json", "table"];
const options = `--purpose --purpose=x --if-not-exists --per-page --per-page=1 --page --page=2 --all
  --yes -y --name --name=x --send-birthday --no-send-birthday --send-holiday --no-send-holiday
  --birthday-message --birthday-message=x --clear-birthday-message --sender-id --sender-id=ACME
  --clear-sender-id --json -o -ojson -qojson --output=xml -q --quiet --debug --no-color --no-input
  --local --database=other.db --version -V --help -h --nope -x --__proto__`.split(/\s+/);

/** Words of commands, values and options, in any order. */
const word = oneof(constantFrom(...commands), constantFrom(...values), constantFrom(...options));
const likelyLine = tuple(
  constantFrom("sender-id", "group", "help"),
  constantFrom("create", "list", "fetch", "update", "delete", "group"),
  array(oneof(constantFrom(...values), constantFrom(...options)), { maxLength: 4 }),
).map(([noun, verb, others]) => [noun, verb, ...others]);
const anyLine = oneof(
  likelyLine,
  array(word, { maxLength: 6 }),
  array(constantFrom(...commands), { maxLength: 4 }).map((words) => ["help", ...words]),
);

const onPipes = {
  stdin: "",
  stdinIsTerminal: false,
  stdoutIsTerminal: false,
  stderrIsTerminal: false,
};
const runs = { numRuns: 500 };

/** Without a defect (1), an unusable database (11) and a cancellation (130). */
const expected = [0, 2, 4, 5, 6];

describe("any command line", () => {
  test("succeeds or is refused with a message", { timeout: 60_000 }, async ({ home, expect }) => {
    const property = asyncProperty(anyLine, async (line) => {
      const { exitCode, stderr } = await runAtTerminal(home, line, onPipes);
      expect(stderr).not.toContain("defect");
      expect(expected).toContain(exitCode);
      if (exitCode !== 0) expect(stderr).toMatch(/^sendctl: .+$/m);
    });
    await assert(property, runs);
  });

  test("prints an envelope with --json", { timeout: 60_000 }, async ({ home, expect }) => {
    const property = asyncProperty(anyLine, async (line) => {
      const { exitCode, stdout } = await runAtTerminal(home, ["--json", ...line], onPipes);
      const envelope = JSON.parse(stdout) as Record<string, unknown>;
      expect(Object.keys(envelope).slice(0, 3)).toStrictEqual(["status", "message", "data"]);
      expect(envelope["status"]).toBe(exitCode === 0);
    });
    await assert(property, runs);
  });
});
