import { deleteFound } from "../../command/records/delete.ts";
import { type Found, groupKind } from "../../command/records/find.ts";
import { operate } from "../../command/records/on-records.ts";
import type { Capabilities } from "../../command/context.ts";
import { isRefused, type Reply } from "../../contract/service.ts";
import { isRefusal } from "../../service/refusals.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { idOf } from "../../probe/outcome.ts";
import { scratchNameOf } from "../../probe/scratch/groups.ts";
import { eachRecord } from "../../service/read-list.ts";
import { mustConfirm } from "../../command/arguments.ts";

/**
 * Deletes the groups whose names have exactly the form of a probe's, and those that probes of this user have created, after
 * confirmation.
 *
 * @throws SendctlError "usage" without `--yes` if prompting is not possible, "cancelled" if the user declines
 */
export async function cleanUp(context: Capabilities, isConfirmed: boolean): Promise<ExitCode> {
  const mustAsk = mustConfirm(context, isConfirmed, "delete");
  const groups: Found[] = [];
  const { names, remember } = await context.state.scratchGroups();
  await eachRecord(context.ask.list("group.list"), (record) => {
    const id = idOf(record);
    if (id === undefined) return;
    // A service may have rewritten the name of one that a probe has created.
    const isKnown = names.has(id) && names.get(id) === record["name"];
    const name = scratchNameOf(record) ?? (isKnown ? names.get(id) : undefined);
    if (name === undefined) return;
    groups.push({ word: `${id} (${name})`, key: id, expected: record });
  });
  (await context.target.journal()).stop();
  const exitCode = await deleteFound(context, groupKind, groups, { mustAsk, send: orByUuid });
  if (exitCode === exitCodes.done) remember(new Map());
  return exitCode;
}

/** Uses a group's uuid if the service does not know its id. */
async function orByUuid(...sent: Parameters<typeof operate>): Promise<Reply> {
  const [service, kind, verb, record] = sent;
  const uuid = record.expected?.uuid;
  return operate(...sent).catch((error: unknown) => {
    if (!isRefusal(error) || !isRefused(error.reply) || typeof uuid !== "string") throw error;
    return operate(service, kind, verb, { ...record, key: uuid });
  });
}
