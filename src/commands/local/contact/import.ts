import { groupKind, localRecordKey } from "../../../command/records/find.ts";
import type { Readable } from "node:stream";
import type { Session } from "../../../command/session.ts";
import type {
  ContactDiagnostic,
  ImportedContacts,
  ImportOutcome,
} from "../../../contract/contacts.ts";
import { exitCodes, type ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError, stoppedBy } from "../../../core/error.ts";
import { openInput, unreadableFile } from "../../../core/files.ts";
import { counted, cut, visibleText } from "../../../core/text.ts";
import { emptyValue, required } from "../../../command/arguments.ts";
import { countryOption } from "./contacts.ts";
import { readContacts } from "./csv-file.ts";
import type { RecordView } from "../../../output/views.ts";
import { defineCommand, flag, optional, repeated } from "../../../command/define-command.ts";
import { failureOf, successOf } from "../../../service/refusals.ts";

const options = {
  country: countryOption,
  column: repeated(
    "--column <field=header>",
    "the column of a field, such as phone=Mobile; the rest is ignored",
  ),
  skipInvalid: flag("--skip-invalid", "skip invalid lines and import the others"),
};

export const localContactImport = defineCommand({
  path: "local contact import",
  changes: "database",
  canTry: true,
  summary: "Import contacts from a CSV file",
  description:
    "Import contacts into a group from a CSV file with a header (phone and, optionally, first_name and birth_date). All or nothing.",
  args: {
    groupId: optional("id, uuid or name of the group", { takes: "group" }),
    file: optional("CSV file; - reads standard input", { takes: "file" }),
  },
  options,
  examples: [
    "sendctl local contact import 12 contacts.csv",
    "sendctl local contact import 12 contacts.csv --country GB --dry-run",
    "sendctl local contact import 12 contacts.csv --column phone=Mobile",
  ],
  async run(context, given, options) {
    const { skipInvalid } = options;
    const isTrial = context.config.settings.dryRun;
    const groupId = await localRecordKey(context, given.groupId, groupKind, "GROUP_ID");
    const file = await required(context.ask, given.file, "FILE", "CSV file");
    if (file === "") throw emptyValue("FILE", "pass a CSV file, or - for standard input");
    const contacts = await context.local.contacts(isTrial ? "read" : "change");
    const refusal = await contacts.refusalOf(groupId);
    if (refusal !== undefined) throw failureOf(refusal);

    const name = file === "-" ? "standard input" : file;
    const input =
      file === "-" ? context.input.stream() : await openInput(name, context.input.path(file));
    // Reading reports it. Without a listener, an error before the first read would end the process.
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
      const read = await readContacts(chunksOf(input, name), { name, columns: options.column });
      const outcome = await contacts.importInto(groupId, {
        columns: read.columns,
        lines: read.lines,
        country: options.country,
        skipInvalid,
        isTrial,
        step: async (done) => {
          const text =
            "read" in done
              ? `${counted(done.read, "line")} read`
              : `${done.written} of ${done.total} contacts written`;
          await progress.update(text);
          if (interruption !== undefined) throw interruption;
        },
      });
      if (read.ignored.length > 0) {
        const names = read.ignored.map((column) => cut(column)).join(", ");
        const columns = `${counted(read.ignored.length, "column")} ignored: ${names}`;
        await context.output.say(visibleText(columns));
      }
      return await show(context, outcome, { name, skipInvalid, isTrial });
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

/** What is said of the file beside its outcome. */
interface Shown {
  readonly name: string;
  readonly skipInvalid: boolean;
  readonly isTrial: boolean;
}

/** Shows the invalid lines, one per line, and then the outcome. */
async function show(
  context: Session,
  outcome: ImportOutcome,
  { name, skipInvalid, isTrial }: Shown,
): Promise<ExitCode> {
  const { diagnostics, invalidLines, lines, reply } = outcome;
  if (reply !== undefined) successOf(reply);
  const texts = diagnostics.map(({ line, field, reason }) =>
    visibleText(`${name}, line ${line}, ${field === null ? reason : `${field} ${reason}`}`),
  );
  const listed = new Set(diagnostics.map(({ line }) => line)).size;
  const more = invalidLines - listed;
  if (more > 0) texts.push(`${counted(more, "more line")} ${more === 1 ? "is" : "are"} invalid`);
  const count = `${invalidLines} of ${counted(lines, "line")} ${invalidLines === 1 ? "is" : "are"} invalid`;
  if (reply !== undefined) {
    for (const text of texts) {
      await context.output.warn(`${isTrial ? "refused" : "skipped"}: ${text}`);
    }
    if (isTrial && invalidLines > 0 && !skipInvalid) {
      await context.output.say(`without --skip-invalid, nothing is imported: ${count}`);
    }
    return context.output.record(reply, isTrial ? trialView : importView);
  }
  for (const text of texts) await context.output.printError(text);
  const message = `nothing imported: ${count}`;
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
    errors: { label: "Skipped lines", cell: linesOfErrors },
  } satisfies Record<keyof ImportedContacts | "errors", unknown>,
  columns: [],
};

/** Returns the numbers of the first invalid lines. */
function linesOfErrors(errors: unknown): { readonly text: string } {
  const lines = (errors as readonly ContactDiagnostic[]).map(({ line }) => line);
  return { text: [...new Set(lines)].join(", ") };
}

/** Of a dry run. */
const trialView: RecordView = {
  ...importView,
  fields: {
    ...importView.fields,
    added: { label: "Would be added" },
    updated: { label: "Would be updated" },
    skipped: { label: "Refused" },
    contacts_count: { label: "Contacts afterwards" },
    errors: { label: "Refused lines", cell: linesOfErrors },
  },
};
