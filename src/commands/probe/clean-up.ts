import type { Capabilities } from "../../cli/capabilities.ts";
import { targetName } from "../../config/target-name.ts";
import { errorObject, SendctlError, type ErrorObject } from "../../contract/error.ts";
import { isRefused, succeeded, type Reply, type ShownRecord } from "../../contract/service.ts";
import { exitCodeOfKind, exitCodes, kindOfReply, type ExitCode } from "../../output/exit-codes.ts";
import { refusalMessage } from "../../output/refusal.ts";
import { safeText } from "../../output/safe-text.ts";
import { idOf } from "../../probe/list-page.ts";
import { scratchNameOf } from "../../probe/own-name.ts";
import { eachRecord } from "../../service/stream-list.ts";
import { unconfirmed } from "../arguments.ts";
import type { ProbeCommandOptions } from "./options.ts";

interface FoundGroup {
  readonly id: string;
  readonly uuid: string | undefined;
  readonly name: string;
  /** As the list showed it. */
  readonly expected: ShownRecord;
}

/**
 * Deletes the groups whose names have exactly the form of a probe's, after confirmation.
 *
 * @throws SendctlError "usage" without `--yes` if prompting is not possible, "cancelled" if the user declines
 */
export async function cleanUp(
  context: Capabilities,
  { yes }: ProbeCommandOptions,
): Promise<ExitCode> {
  const { output, ask, config } = context;
  const prompter = ask.prompter();
  if (yes !== true && prompter === undefined) throw unconfirmed("delete");
  const target = targetName(config.settings);
  const found = await findGroups(context);
  if ("refusal" in found) return output.refusal(found.refusal);
  const { groups } = found;
  if (groups.length > 0 && yes !== true) {
    const names = groups.map(({ id, name }) => `${id} (${name})`).join(", ");
    const what = groups.length === 1 ? "the group" : `${groups.length} groups`;
    const question = safeText(`Delete ${what} ${names} from ${target}?`);
    if (!(await prompter!.confirm(question))) return output.declined("Nothing deleted");
  }
  const deleted: FoundGroup[] = [];
  const failed: { readonly group: FoundGroup; readonly error: ErrorObject }[] = [];
  for (const group of groups) {
    const error = await deleteGroup(context, group);
    if (error === undefined) deleted.push(group);
    else failed.push({ group, error });
  }
  const count = deleted.length === 1 ? "1 group" : `${deleted.length} groups`;
  const rest = failed.length === 0 ? "" : `, ${failed.length} not deleted`;
  const message = `${count} deleted${rest}`;
  const [first] = failed;
  await output.report({
    message,
    ...(first === undefined
      ? {}
      : { error: { kind: first.error.kind, hint: first.error.hint ?? undefined } }),
    data: {
      target,
      deleted: deleted.map(({ id, name }) => ({ id, name })),
      failed: failed.map(({ group, error }) => ({ id: group.id, name: group.name, error })),
    },
  });
  for (const { group, error } of failed) {
    await output.complain(safeText(`${group.name} (${group.id}): ${error.message}`));
  }
  await output.say(message);
  return first === undefined ? exitCodes.done : exitCodeOfKind(first.error.kind);
}

async function findGroups({
  service,
  output,
}: Capabilities): Promise<
  { readonly groups: readonly FoundGroup[] } | { readonly refusal: Reply }
> {
  const groups: FoundGroup[] = [];
  const take = (record: ShownRecord): void => {
    const id = idOf(record);
    const { uuid, name, birthday_message: message } = record;
    if (scratchNameOf(record) === undefined || id === undefined) return;
    const shown = typeof name === "string" && name !== "" ? name : String(message);
    groups.push({
      id,
      uuid: typeof uuid === "string" ? uuid : undefined,
      name: shown,
      expected: record,
    });
  };
  try {
    const refusal = await eachRecord((query) => service["group.list"]({ query }), take);
    return refusal === undefined ? { groups } : { refusal };
  } catch (error) {
    const isIncomplete = error instanceof SendctlError && error.kind === "unexpected_response";
    if (!isIncomplete || groups.length === 0) throw error;
    await output.warn(safeText(error.message));
    return { groups };
  }
}

/** Deletes a group by its id, or by its uuid if the service does not know its id. @returns the error, if any */
async function deleteGroup(
  { service }: Capabilities,
  { id, uuid, expected }: FoundGroup,
): Promise<ErrorObject | undefined> {
  try {
    let reply = await service["group.delete"]({ path: { id }, expected });
    if (isRefused(reply) && uuid !== undefined) {
      const other = await service["group.delete"]({ path: { id: uuid }, expected });
      if (succeeded(other) || reply.status === 404) reply = other;
    }
    if (succeeded(reply)) return undefined;
    const kind = kindOfReply(reply) ?? "unexpected_response";
    return errorObject({ kind, message: refusalMessage(reply), httpStatus: reply.status });
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    if (error.kind === "cancelled" || error.kind === "terminated") throw error;
    return errorObject(error);
  }
}
