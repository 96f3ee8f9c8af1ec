import { askForChanges } from "../../commands/group/update/ask-for-changes.ts";
import { optionWords, targetName } from "../../config/target.ts";
import { succeeded, type ShownRecord } from "../../contract/service.ts";
import { refusalText } from "../../service/refusals.ts";
import { safeText } from "../../core/safe-text.ts";
import type { Session } from "./session.ts";

/**
 * Asks which fields of a group to change, and for their values, then shows the changes and asks whether to send them.
 *
 * @returns the options of `group update`; undefined if nothing changes
 */
export async function editGroup(
  { context, prompter, say, printError }: Session,
  id: string,
): Promise<readonly string[] | undefined> {
  const { service, ask, config } = context();
  const reply = await service["group.fetch"]({ path: { id } });
  if (!succeeded(reply)) {
    await printError(refusalText(reply));
    return undefined;
  }
  const group = reply.envelope!.data as ShownRecord;
  const changes = Object.entries(await askForChanges(prompter, ask.list("sender-id.list"), group));
  // The service does not show the sender ID of a group.
  for (const [field, value] of changes) {
    const before = field === "sender_id" ? "" : `${shown(group[field])} `;
    await say(`  ${field}: ${before}→ ${shown(value)}`);
  }
  const target = safeText(targetName(config.settings));
  if (changes.length > 0 && (await prompter.confirm(`Send this change to ${target}?`))) {
    return changes.flatMap(([field, value]) => wordsOf(field.replaceAll("_", "-"), value));
  }
  await say("Nothing changed");
  return undefined;
}

function shown(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" && value !== "" ? value : "none";
}

/** Returns the option that sets a field to a value. */
function wordsOf(name: string, value: unknown): readonly string[] {
  if (value === null) return [`--clear-${name}`];
  if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`];
  return optionWords(`--${name}`, value as string);
}
