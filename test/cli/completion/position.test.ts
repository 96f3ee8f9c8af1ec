import { Command } from "commander";
import { expect, test } from "vitest";
import { positionIn } from "../../../src/cli/completion/line.ts";

/** Creates a tree that declares its subcommands on use, like the one of sendctl. */
function tree() {
  const program = new Command("sendctl").option("-q, --quiet").option("-o, --output <format>");
  program.command("group").alias("groups");
  program.command("log").option("-f, --follow").option("-n, --lines <count>");
  const declare = async (command: Command): Promise<void> => {
    for (const option of program.options) command.addOption(option);
    if (command.name() === "group") {
      command.command("list").alias("ls").option("--page <number>");
      command.command("update").option("--name <text>").option("--no-send-birthday");
    }
  };
  return { program, declare };
}

interface Expected {
  readonly path: string;
  readonly operands?: readonly string[];
  readonly given?: Readonly<Record<string, string | true>>;
  readonly onlyOperands?: true;
  /** The long name of the option whose value is being typed. */
  readonly option?: string;
  readonly prefix?: string;
  readonly typed?: string;
}

const cases: readonly (readonly [line: string, expected: Expected | undefined])[] = [
  ["", { path: "" }],
  ["gr", { path: "", typed: "gr" }],
  ["group ", { path: "group" }],
  ["groups ls ", { path: "group list" }],
  ["group update 1 ", { path: "group update", operands: ["1"] }],
  ["group update - ", { path: "group update", operands: ["-"] }],
  ["-q group list ", { path: "group list", given: { quiet: true } }],
  ["group list -o ", { path: "group list", given: { output: true }, option: "--output" }],
  [
    "group list -o js",
    { path: "group list", given: { output: true }, option: "--output", typed: "js" },
  ],
  ["group list -ojson ", { path: "group list", given: { output: "json" } }],
  ["group list --output json ", { path: "group list", given: { output: "json" } }],
  ["group list --output=json ", { path: "group list", given: { output: "json" } }],
  ["group update --name=a=b ", { path: "group update", given: { name: "a=b" } }],
  ["group update --name= ", { path: "group update", given: { name: "" } }],
  ["group update --name -q ", { path: "group update", given: { name: "-q" } }],
  ["group update --name -- ", { path: "group update", given: { name: "--" } }],
  ["group update --no-send-birthday ", { path: "group update", given: { sendBirthday: true } }],
  [
    "group list --output=js",
    { path: "group list", option: "--output", prefix: "--output=", typed: "--output=js" },
  ],
  ["group list --nope=js", { path: "group list", typed: "--nope=js" }],
  ["group list --out", { path: "group list", typed: "--out" }],
  ["group list --nope -x ", { path: "group list" }],
  ["log -n ", { path: "log", given: { lines: true }, option: "--lines" }],
  ["log -n 3 ", { path: "log", given: { lines: "3" } }],
  ["group update -- ", { path: "group update", onlyOperands: true }],
  ["group update -- -q ", { path: "group update", operands: ["-q"], onlyOperands: true }],
  ["group update -- -- ", { path: "group update", operands: ["--"], onlyOperands: true }],
  ["group update -- --name=a", { path: "group update", onlyOperands: true, typed: "--name=a" }],
];

test.for(cases)("%j", async ([line, expected]) => {
  const { program, declare } = tree();
  const found = await positionIn(program, line.split(" "), declare);
  const { command, path, given, option, ...rest } = found!;
  expect(command.name()).toBe(path.at(-1) ?? "sendctl");
  expect({
    ...rest,
    path: path.join(" "),
    given: Object.fromEntries(given),
    option: option?.long,
  }).toStrictEqual({
    operands: [],
    given: {},
    onlyOperands: false,
    option: undefined,
    prefix: "",
    typed: "",
    ...expected,
  });
});

test("no words are the start of a command line", async () => {
  const { program, declare } = tree();
  expect(await positionIn(program, [], declare)).toMatchObject({ path: [], typed: "" });
});

test.for(["nope ", "group nope ", "grou list "])("%j contains an unknown command", async (line) => {
  const { program, declare } = tree();
  expect(await positionIn(program, line.split(" "), declare)).toBeUndefined();
});
