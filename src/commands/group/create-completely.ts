import { failureOf } from "../../command/records/attempts.ts";
import type { Capabilities } from "../../command/capabilities.ts";
import { optionWords, targetOptions } from "../../config/target.ts";
import {
  succeeded,
  type GroupChanges,
  type GroupFields,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import { DryRunEnded, SendctlError } from "../../core/error.ts";
import { shellWord } from "../../core/text.ts";
import { groupKey, idText, nameOf } from "../../manifest/manifest.ts";

type Context = Pick<Capabilities, "service" | "output" | "config">;

/**
 * Creates a group, then sets the fields that only an update sets. A record that the service returned in place of a new one
 * is not updated.
 *
 * @returns the reply to the last request
 * @throws SendctlError with the id of the group and the command that completes it, if it was created and not updated
 */
export async function createCompletely(
  context: Context,
  body: GroupFields,
  changes: GroupChanges,
): Promise<Reply> {
  const { service, output } = context;
  let created: ShownRecord;
  try {
    const reply = await service["group.create"]({ body });
    if (!succeeded(reply)) return reply;
    if (reply.isOld === true) {
      await output.warn(`the group was not updated: ${Object.keys(changes).join(", ")}`);
      return reply;
    }
    created = reply.envelope!.data as ShownRecord;
  } catch (error) {
    if (error instanceof DryRunEnded) {
      await output.say("ID stands for the id in the response to the first request");
      return service["group.update"]({ path: { id: "ID" }, body: changes });
    }
    // The service stored other values.
    const { stored, record } = error as Partial<SendctlError>;
    const isCreated = stored !== undefined && record !== undefined;
    throw isCreated ? incomplete(context, record, changes, error as SendctlError) : error;
  }
  // The response to a create may have a more precise time than is stored.
  const expected = { ...created, created_at: undefined };
  try {
    const path = { id: groupKey(created) };
    const reply = await service["group.update"]({ path, body: changes, expected });
    if (succeeded(reply)) return reply;
    throw failureOf(reply);
  } catch (error) {
    throw error instanceof SendctlError ? incomplete(context, created, changes, error) : error;
  }
}

/** Returns the error for a group that was created and not updated, with the command that updates it. */
function incomplete(
  { config: { settings } }: Context,
  group: ShownRecord,
  changes: GroupChanges,
  cause: SendctlError,
): SendctlError {
  const options = Object.entries(changes).flatMap(([field, value]) => {
    const option = field.replaceAll("_", "-");
    if (typeof value === "string") return optionWords(`--${option}`, value);
    return [value === true ? `--${option}` : `--no-${option}`];
  });
  const insecure = settings.insecureHttp ? ["--insecure-http"] : [];
  const words = [groupKey(group), ...options, ...targetOptions(settings, false), ...insecure];
  const message = `group ${nameOf(group)} was created (id ${idText(group)}), but is incomplete: ${cause.message}`;
  return new SendctlError(cause.kind, message, {
    cause,
    httpStatus: cause.httpStatus,
    hint: `to complete it: sendctl group update ${words.map(shellWord).join(" ")}`,
  });
}
