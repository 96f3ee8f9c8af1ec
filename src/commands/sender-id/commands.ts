import { deleting } from "../../command/records/delete.ts";
import { senderIdKind, searchSimilar, fetchedListed } from "../../command/records/find.ts";
import { fetching, onRecords } from "../../command/records/on-records.ts";
import type { Output } from "../../output/output.ts";
import { defineCommand, flag, optional, text, variadic } from "../../command/define-command.ts";
import { reworded, SendctlError } from "../../core/error.ts";
import { attempted, isRefusal } from "../../service/refusals.ts";
import { isAbsence, type Reply, type ShownRecord } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { senderIdView } from "../../output/views.ts";
import {
  missing,
  required,
  deleteSeveralOptions,
  severalOptions,
  unknownStatus,
} from "../../command/arguments.ts";
import { knownStatuses, senderIdFields } from "../../contract/resources.ts";
import { askForName, carrierWarning } from "../sms.ts";
import { list } from "../../command/lists/list.ts";
import { listOptions } from "../../command/lists/options.ts";
import { doneReply } from "../../service/lines.ts";
import { eachRecord } from "../../service/read-list.ts";
import type { Session } from "../../command/session.ts";

export const senderIdCreate = defineCommand({
  path: "sender-id create",
  changes: "service",
  summary: "Create a sender ID",
  description: "Create a sender ID. Its status is PENDING until it is reviewed.",
  args: {
    name: optional("name that recipients see; carriers accept up to 11 letters, digits and spaces"),
  },
  options: {
    purpose: text("--purpose <text>", "purpose of its messages, for the review"),
    ifNotExists: flag(
      "--if-not-exists",
      "if the name is taken, show the existing sender ID and succeed",
    ),
  },
  exitCodes: [
    [5, "the name is taken (without --if-not-exists)"],
    [9, "no response was received; the sender ID may have been created"],
  ],
  examples: [
    'sendctl sender-id create ACME --purpose "Order updates"',
    'sendctl sender-id create ACME --purpose "Order updates" --if-not-exists',
  ],
  async run(context, given, options) {
    const { service, output, ask, config } = context;
    const example = 'sendctl sender-id create ACME --purpose "Order updates"';
    const prompter = ask.prompter();
    if (given.name === undefined && prompter === undefined) throw missing("NAME", example);
    const name = given.name ?? (await askForName(prompter!, context));
    const isAsked = options.purpose === undefined && prompter !== undefined;
    if (isAsked) {
      const problem = await ask.refusedText(senderIdFields.name, name);
      if (problem !== undefined) throw new SendctlError("invalid", `the name ${problem}`);
      // The user can still cancel and choose another name before writing its purpose.
      await warnOfCarriers(output, name);
    }
    const purpose = await required(ask, options.purpose, "--purpose TEXT", "Purpose", example);
    const show = async (found: Reply): Promise<ExitCode> => {
      const stored = found.envelope!.data as ShownRecord;
      if (stored["purpose"] !== purpose) {
        await output.warn(
          "the sender ID already exists with another purpose, which was not changed",
        );
      }
      return output.record(found, senderIdView, { done: "already exists" });
    };
    // A dry run shows only the create, not the fetch before it.
    const mayExist = options.ifNotExists && !config.settings.dryRun;
    const known = new Set<unknown>();
    const existing = (): Promise<Reply | undefined> => existingSenderId(context, name, known);
    const before = mayExist ? await existing() : undefined;
    if (before !== undefined) return show(before);
    try {
      const existed = ({ id }: ShownRecord): boolean => id !== undefined && known.has(id);
      const input = { body: { name, purpose }, ...(mayExist && { existed }) };
      const reply = await service["sender-id.create"](input);
      if (!isAsked) await warnOfCarriers(output, name);
      return await output.record(reply, senderIdView, { done: "created" });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Another client may have created it in the meantime.
      const after = mayExist ? await unlessRefused(existing()) : undefined;
      if (after !== undefined) return show(after);
      const hint = "to accept the existing sender ID, pass --if-not-exists";
      const isTaken = error.kind === "conflict" && !mayExist;
      throw isTaken ? reworded(error, error.message, { hint }) : error;
    }
  },
});

/** Returns the result of a search; undefined if the service refuses. */
function unlessRefused<Found>(search: Promise<Found>): Promise<Found | undefined> {
  return search.catch((error: unknown) => {
    if (isRefusal(error)) return undefined;
    throw error;
  });
}

/**
 * Returns the sender ID; undefined if no sender ID has that name.
 *
 * @param known receives the id of each sender ID that is listed
 * @throws SendctlError "conflict" if one has a name that is the same for people; Refusal
 */
async function existingSenderId(
  { service, ask }: Session,
  name: string,
  known: Set<unknown>,
): Promise<Reply | undefined> {
  // These cannot be part of a path.
  if (["", ".", ".."].includes(name)) return undefined;
  const path = { name };
  const look = () => service["sender-id.fetch"]({ path, expected: { name }, isCurrent: true });
  // A service that finds another record with a similar name does not say whether this one exists.
  const found = await attempted(look()).catch((error: unknown) => {
    const isOther = error instanceof SendctlError && error.record !== undefined;
    if (isOther || (error as Partial<SendctlError>).kind === "not_found") return undefined;
    throw error;
  });
  if (found !== undefined && !isRefusal(found)) return found;
  if (found !== undefined && isAbsence(found.reply) === false) throw found;
  const similar = searchSimilar("sender ID", name);
  let listed: ShownRecord | undefined;
  const take = (record: ShownRecord): void => {
    known.add(record["id"]);
    if (record["name"] === name) listed ??= record;
    else similar.take(record);
  };
  await eachRecord(ask.list("sender-id.list"), take, await ask.ownView?.("sender-id"));
  if (listed !== undefined) {
    // The path of another name, such as one with a slash, may not be found although it is listed.
    const isPlain = /^[\w -]+$/.test(name);
    if (!isPlain || found === undefined || isAbsence(found.reply) !== true)
      return doneReply("Sender retrieved", listed);
    // Another client may have created it in the meantime.
    return fetchedListed("sender-id", listed, look, known);
  }
  similar.refuse();
  return undefined;
}

async function warnOfCarriers(output: Output, name: string): Promise<void> {
  const warning = carrierWarning(name);
  if (warning !== undefined) await output.warn(warning);
}

export const senderIdList = defineCommand({
  path: "sender-id list",
  aliases: ["ls"],
  summary: "List sender IDs",
  description: "List sender IDs, newest first.",
  options: {
    ...listOptions,
    status: text("--status <status>", "only sender IDs with this status", { takes: knownStatuses }),
  },
  examples: [
    "sendctl sender-id list",
    "sendctl sender-id list --all --json",
    "sendctl sender-id list --status PENDING --sort name",
  ],
  async run(context, _, options) {
    const { ask, output } = context;
    const unknown = options.status === undefined ? undefined : unknownStatus(options.status);
    if (unknown !== undefined) await output.warn(unknown);
    return list(context, ask.list("sender-id.list"), senderIdView, options);
  },
});

const senderIdFetch = defineCommand({
  path: "sender-id fetch",
  aliases: ["get", "show", "view"],
  summary: "Show sender IDs",
  description: "Show sender IDs by name; several are shown as a list.",
  args: { name: variadic("names; - reads them from standard input", { takes: "sender-id" }) },
  options: severalOptions,
  examples: [
    "sendctl sender-id fetch ACME",
    "sendctl sender-id fetch ACME Bakery --json",
    "sendctl sender-id fetch -- -odd-name",
  ],
  async run(context, { name }, options) {
    return onRecords(context, senderIdKind, { words: name, ...options }, () =>
      fetching(context, senderIdKind),
    );
  },
});

const senderIdDelete = defineCommand({
  path: "sender-id delete",
  changes: "service",
  aliases: ["rm", "remove"],
  summary: "Delete sender IDs",
  description:
    "Delete sender IDs. Groups that use them lose their sender ID. One confirmation covers several sender IDs. If some cannot be deleted, the others still are, and the exit code is that of the first failure.",
  args: { name: variadic("names; - reads them from standard input", { takes: "sender-id" }) },
  options: deleteSeveralOptions,
  examples: [
    "sendctl sender-id delete ACME",
    "sendctl sender-id delete ACME Bakery --yes",
    "sendctl sender-id delete - --yes",
  ],
  async run(context, { name }, options) {
    return onRecords(context, senderIdKind, { words: name, ...options }, (named) =>
      deleting(context, senderIdKind, options.yes, named),
    );
  },
});

const senderIdWait = defineCommand({
  path: "sender-id wait",
  summary: "Wait until sender IDs are reviewed",
  description:
    "Wait until sender IDs reach a status. --within limits the whole wait; --timeout before `wait` limits each request.",
  args: { name: variadic("names; - reads them from standard input", { takes: "sender-id" }) },
  options: {
    for: text("--for <status>", "status to wait for, such as APPROVED", { takes: knownStatuses }),
    within: text("--within <duration>", "time limit of the whole wait (default: 10m)"),
    // What --within was called before.
    timeout: text("--timeout <duration>", "", { conflicts: ["within"], isHidden: true }),
    interval: text("--interval <duration>", "pause between requests (default: 1s, growing to 30s)"),
    ...severalOptions,
  },
  exitCodes: [[13, "the wait timed out, or a sender ID was rejected"]],
  examples: [
    "sendctl sender-id wait ACME --for APPROVED",
    "sendctl sender-id wait ACME Bakery --for APPROVED --within 2h --interval 1m",
  ],
  async run(context, { name }, options) {
    const { waitForStatus } = await import("./wait/wait-for-status.ts");
    return waitForStatus(context, name, options);
  },
});

/** The commands of `sendctl sender-id`, in help order. */
export const commands = [senderIdCreate, senderIdList, senderIdFetch, senderIdDelete, senderIdWait];
