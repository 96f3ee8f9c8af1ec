import { expect, test } from "vitest";
import { positionIn } from "../../../src/cli/completion.ts";
import { CliCommand } from "../../../src/cli/program/build-command.ts";

/** Creates a tree that declares its subcommands on use, like the one of sendctl. */
async function tree(): Promise<CliCommand> {
  const program = new CliCommand("sendctl");
  const group = program.command("group").alias("groups");
  program.command("log").option("-f, --follow").option("-n, --lines <count>");
  group.declares = () => {
    group.command("list").alias("ls").option("--page <number>");
    group.command("update").option("--name <text>").option("--no-send-birthday");
  };
  await program.declare();
  return program;
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

test.for(cases)("the position at the end of %j", async ([line, expected]) => {
  const found = await positionIn(await tree(), line.split(" "));
  const { command, given, option, ...rest } = found!;
  expect({
    ...rest,
    path: command.path.join(" "),
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
  const program = await tree();
  expect(await positionIn(program, [])).toMatchObject({ command: program, typed: "" });
});

test.for(["nope ", "group nope ", "grou list "])("%j contains an unknown command", async (line) => {
  expect(await positionIn(await tree(), line.split(" "))).toBeUndefined();
});
