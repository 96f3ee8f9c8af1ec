import { groupChoice, localRecordKey } from "../../../command/records/single.ts";
import type { Readable } from "node:stream";
import type { Capabilities } from "../../../command/capabilities.ts";
import type { ImportedContacts, ImportOutcome } from "../../../contract/contacts.ts";
import { succeeded } from "../../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError, stoppedBy } from "../../../core/error.ts";
import { openInput, unreadableFile } from "../../../core/files.ts";
import { counted, shellWord, visibleText } from "../../../core/text.ts";
import { emptyValue, required } from "../../../command/arguments.ts";
import { countryOption } from "./contacts.ts";
import { readContacts } from "./csv-file.ts";
import type { RecordView } from "../../../output/views.ts";
import { defineCommand, flag, optional, repeated } from "../../../command/define-command.ts";

export const localContactImport = defineCommand({
  path: "local contact import",
  changes: "database",
  summary: "Import contacts from a CSV file",
  description:
    "Import contacts into a group from a CSV file with a header: phone and, optionally, first_name and birth_date. All or nothing.",
  args: {
    groupId: optional("id, uuid or name of the group", { takes: "group" }),
    file: optional("CSV file; - reads standard input", { takes: "file" }),
  },
  options: {
    country: countryOption,
    column: repeated(
      "--column <field=header>",
      "the column of a field, such as phone=Mobile; the rest is ignored",
    ),
    skipInvalid: flag("--skip-invalid", "skip invalid lines and import the others"),
    skipBad: flag("--skip-bad", "same as --skip-invalid", { isHidden: true }),
  },
  examples: [
    "sendctl local contact import 12 contacts.csv",
    "sendctl local contact import 12 contacts.csv --country GB --skip-invalid",
  ],
  async run(context, given, { country, skipBad, skipInvalid, column }) {
    const groupId = await localRecordKey(context, given.groupId, "GROUP_ID", groupChoice);
    const file = await required(context.ask, given.file, "FILE", "CSV file");
    if (file === "") throw emptyValue("FILE", "pass a CSV file, or - for standard input");
    const contacts = await context.local.contacts();
    const refusal = await contacts.refusalOf(groupId);
    if (refusal !== undefined) return context.output.refusal(refusal);

    const name = file === "-" ? "standard input" : file;
    const input =
      file === "-" ? context.input.stream() : await openInput(name, context.input.path(file));
    // Reading reports the error. Without a listener, an error before the first read would end the process.
    input.on("error", () => {});
    const progress = context.output.progress();
    let interruption: SendctlError | undefined;
    // A signal stops the reading at once and the writing at its next step.
    const interrupt = (signal: string): void => {
      interruption = stoppedBy(signal, "Interrupted: nothing was imported");
      input.destroy(interruption);
    };
    void context.processes.stopped().then(interrupt);
    try {
      const words = ["sendctl local contact import", shellWord(groupId), shellWord(file)].join(" ");
      const { ignored, ...read } = await readContacts(chunksOf(input, name), name, column, words);
      const outcome = await contacts.importInto(groupId, {
        ...read,
        country,
        skipInvalid: skipInvalid || skipBad,
        step: async (done) => {
          const text =
            "read" in done
              ? `${done.read} lines read`
              : `${done.written} of ${done.total} contacts written`;
          await progress.update(text);
          if (interruption !== undefined) throw interruption;
        },
      });
      if (ignored.length > 0) {
        const columns = `${counted(ignored.length, "column")} ignored: ${ignored.join(", ")}`;
        await context.output.say(visibleText(columns));
      }
      return await show(context, outcome, name);
    } finally {
      await progress.done();
      input.destroy();
    }
  },
});

async function* chunksOf(input: Readable, name: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of input) yield Buffer.from(chunk as Uint8Array);
  } catch (error) {
    throw error instanceof SendctlError ? error : unreadableFile(name, error);
  }
}

/** Shows the invalid lines, one per line, and then the outcome. */
async function show(
  context: Capabilities,
  outcome: ImportOutcome,
  name: string,
): Promise<ExitCode> {
  const { diagnostics, invalidLines, lines, reply } = outcome;
  if (reply !== undefined && !succeeded(reply)) return context.output.refusal(reply);
  const texts = diagnostics.map(({ line, field, reason }) =>
    visibleText(`${name}, line ${line}, ${field === null ? reason : `${field} ${reason}`}`),
  );
  const listed = new Set(diagnostics.map(({ line }) => line)).size;
  if (invalidLines > listed) texts.push(`${invalidLines - listed} more lines are invalid`);
  if (reply !== undefined) {
    for (const text of texts) await context.output.warn(`skipped: ${text}`);
    return context.output.record(reply, importView);
  }
  for (const text of texts) await context.output.printError(text);
  const message = `nothing imported: ${invalidLines} of ${lines} lines ${invalidLines === 1 ? "is" : "are"} invalid`;
  const hint = "fix them, or pass --skip-invalid";
  const data = { lines, faulty: invalidLines, errors: diagnostics };
  await context.output.report({ message, data, error: { kind: "usage", hint } });
  await context.output.printError(`${message}\nhint: ${hint}`);
  return exitCodes.usage;
}

const importView: RecordView = {
  key: "group_id",
  fields: {
    group_id: { label: "Group ID" },
    group: { label: "Group" },
    lines: { label: "Lines read" },
    added: { label: "Added" },
    updated: { label: "Updated" },
    unchanged: { label: "Unchanged" },
    duplicates: { label: "Duplicates" },
    skipped: { label: "Skipped" },
    contacts_count: { label: "Contacts" },
  } satisfies Record<keyof ImportedContacts, unknown>,
  columns: [],
};
