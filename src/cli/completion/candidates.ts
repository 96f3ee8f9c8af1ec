import type { Session } from "../../command/session.ts";
import { newestRecords, groupKind, isGroupName, namePrefix } from "../../command/records/find.ts";
import type { GlobalOptions } from "../../config/settings.ts";
import { operations } from "../../contract/operations.ts";
import { safeText } from "../../core/text.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { groupView, senderIdView } from "../../output/views.ts";
import type { CliArgument, CliCommand, CliOption, Runner } from "../program/build-command.ts";
import { topics } from "../registry.ts";
import type { Candidate, Position } from "./line.ts";

/** Completion must be quick and silent: one short attempt and no questions. */
const completionOptions = {
  timeout: "1s",
  retries: "0",
  output: "table",
  input: false,
  quiet: true,
};

/** Options that need neither a service nor valid settings. */
export const withoutService: GlobalOptions = {
  ...completionOptions,
  local: true,
  database: "none",
};

/** Returns the subcommands of a command. */
export async function commandsOf(command: CliCommand): Promise<Candidate[]> {
  const shown = await command.shownCommands();
  return shown.map((inner) => ({ value: inner.name(), about: inner.summary() }));
}

/** Returns the values of an argument or option at the cursor, or "file" for file names. */
export async function valuesOf(
  { takes = [] }: CliArgument | CliOption,
  run: Runner,
  position: Position,
): Promise<"file" | readonly Candidate[]> {
  if (takes === "file") return takes;
  if (typeof takes !== "string") return takes.map((value) => ({ value, about: "" }));
  if (takes === "command") return helpSubjects(position);
  if (takes === "sort-field" || takes === "fields") return fieldsFor(takes, position);
  if (takes === "profile") return inSession(run, withoutService, profilesOf);
  if (takes === "fault") {
    return ["*", ...Object.keys(operations)].map((name) => ({ value: `${name}:`, about: "" }));
  }
  const options = optionsFor(position);
  const records = await inSession(run, options, (session) => recordsOf(session, takes));
  return takes === "group" ? groupKeys(records, position.typed) : records;
}

/** Runs a lookup in a session with these options. */
export async function inSession<Found>(
  run: Runner,
  options: GlobalOptions,
  lookUp: (session: Session) => Found | Promise<Found>,
): Promise<Found> {
  let found: Found;
  const asking = async (session: Session): Promise<ExitCode> => {
    found = await lookUp(session);
    return exitCodes.done;
  };
  await run(options, asking, options !== withoutService);
  return found!;
}

function profilesOf(session: Session): Candidate[] {
  return [...session.config.read().profiles.keys()].map((value) => ({ value, about: "" }));
}

/** Returns the commands and topics that `sendctl help` can show. */
async function helpSubjects({ command: help, operands }: Position): Promise<Candidate[]> {
  const command = await help.program.below(operands);
  const pages = topics.map(({ name, summary }) => ({ value: name, about: summary }));
  return [...(await commandsOf(command)), ...(command.parent === null ? pages : [])];
}

/** Returns only those options of the typed words that choose the service. */
function optionsFor({ given, command }: Position): GlobalOptions {
  const names = ["local", "baseUrl", "database", "profile", "insecureHttp"];
  const chosen = Object.fromEntries(names.map((name) => [name, given.get(name)]));
  // Commands below `local` always work on the embedded engine.
  const local = command.path[0] === "local" ? { local: true } : {};
  return { ...chosen, ...local, ...completionOptions };
}

/** Returns sender IDs or groups, the newest first. Never creates a missing database. */
async function recordsOf(context: Session, kind: "sender-id" | "group"): Promise<Candidate[]> {
  const { baseUrl, databaseUrl, keyCommand } = context.config.settings;
  // A key command may ask for a passphrase, which would surprise at the Tab key.
  if (keyCommand !== undefined) return [];
  if (baseUrl === undefined && databaseUrl !== undefined) {
    const database = await context.local.database();
    if (!(await database.info()).exists) return [];
  }
  const described = kind === "group" ? "id" : "status";
  const records = await newestRecords(context.ask.list(`${kind}.list`)).catch(() => []);
  return records.map((record) => ({
    value: textOf(record["name"]),
    about: safeText(textOf(record[described])),
  }));
}

/** Returns the names of groups, or their ids if a digit is typed or several have the name. */
function groupKeys(groups: readonly Candidate[], typed: string): Candidate[] {
  const counts = new Map<string, number>();
  for (const { value } of groups) counts.set(value, (counts.get(value) ?? 0) + 1);
  return groups.flatMap(({ value: name, about: id }) => {
    const byId = { value: id, about: safeText(name) };
    if (counts.get(name)! > 1) return byId;
    // A name that looks like an id would be one.
    const isName = isGroupName(name, groupKind) && !name.startsWith(namePrefix) && name !== "-";
    const byName = { value: isName ? name : `${namePrefix}${name}`, about: id };
    return /^\d/.test(typed) ? [byId, byName] : byName;
  });
}

/** Returns the fields of the records that a command lists, after those that are typed already. */
function fieldsFor(
  kind: "sort-field" | "fields",
  { command, typed, prefix }: Position,
): Candidate[] {
  const view = command.path[0] === "group" ? groupView : senderIdView;
  const names = Object.entries(view.fields).map(([value, { label }]) => ({ value, about: label }));
  if (kind === "sort-field") return names;
  const before = typed.slice(prefix.length).split(",").slice(0, -1);
  return names
    .filter(({ value }) => !before.includes(value))
    .map(({ value, about }) => ({ value: [...before, value].join(","), about }));
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
