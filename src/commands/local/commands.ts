import { localRecordKey, senderIdKind } from "../../command/records/find.ts";
import type { Session } from "../../command/session.ts";
import { invalidValue, missing } from "../../command/arguments.ts";
import { knownStatuses } from "../../contract/resources.ts";
import { senderIdView } from "../../output/views.ts";
import { defineCommand, optional, text } from "../../command/define-command.ts";
import { localBirthdays } from "./contact/birthdays.ts";
import {
  localContact,
  localContactAdd,
  localContactDelete,
  localContactFind,
  localContactList,
} from "./contact/contacts.ts";
import { localContactImport } from "./contact/import.ts";
import {
  localBackup,
  localCheck,
  localInfo,
  localReset,
  localRestore,
  localCopy,
  localSeed,
} from "./database/maintenance.ts";
import { localStart, localStatus, localStop } from "./background.ts";
import { integrationAndKeyCommands } from "./integrations-and-keys.ts";
import { localLog } from "./log.ts";
import { localRun } from "./run.ts";

export const localReview = defineCommand({
  path: "local review",
  changes: "database",
  summary: "Set the status of a sender ID",
  description:
    "Set the status of a sender ID as a reviewer of the service would, from any status to any other.",
  args: { name: optional("sender ID name", { takes: "sender-id" }) },
  options: {
    status: text("--status <status>", "status: APPROVED, REJECTED or PENDING", {
      takes: knownStatuses,
    }),
  },
  examples: ["sendctl local review ACME --status APPROVED"],
  /** Sets the status whatever it was before: ruling 17. */
  async run(context, given, options) {
    const known = options.status?.toUpperCase();
    if (known !== undefined && !knownStatuses.includes(known)) {
      const hint = `use one of ${knownStatuses.join(", ")}`;
      throw invalidValue("status", options.status, "--status", hint);
    }
    const embedded = await context.local.engine();
    const { key, source } = await context.local.key();
    const name = await localRecordKey(context, given.name, senderIdKind);
    const status = known ?? (await askStatus(context));
    const reply = await (await embedded.integration(key, source)).review({ name, status });
    return context.output.record(reply, senderIdView, { done: `is ${status}` });
  },
});

async function askStatus({ ask }: Session): Promise<string> {
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing("--status STATUS");
  const choices = knownStatuses.map((status) => ({ value: status, name: status }));
  return prompter.select("Status", choices);
}

/** The commands of `sendctl local`, in the order of its help. */
export const commands = [
  ...integrationAndKeyCommands,
  localInfo,
  localCheck,
  localBackup,
  localRestore,
  localReset,
  localCopy,
  localContact,
  localContactImport,
  localContactList,
  localContactAdd,
  localContactFind,
  localContactDelete,
  localBirthdays,
  localReview,
  localLog,
  localSeed,
  localRun,
  localStart,
  localStop,
  localStatus,
];
