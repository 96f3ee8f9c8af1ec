import { groupChoice, localRecordKey } from "../../../command/records/single.ts";
import type { Capabilities } from "../../../command/capabilities.ts";
import { databaseName } from "../../../config/target-name.ts";
import { defineCommand, optional, variadic } from "../../../command/define-command.ts";
import type { DeletedContacts } from "../../../contract/contacts.ts";
import { succeeded } from "../../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../../output/exit-codes.ts";
import { safeText } from "../../../core/safe-text.ts";
import {
  confirm,
  deleteOptions,
  readsInput,
  required,
  severalOptions,
  unconfirmed,
} from "../../../command/arguments.ts";
import { countryOption } from "./contacts.ts";

export const localContactDelete = defineCommand({
  path: "local contact delete",
  aliases: ["rm"],
  summary: "Delete contacts of a group",
  description: "Delete contacts of a group by phone number. Several are confirmed once.",
  args: {
    groupId: optional("id, uuid or name of the group", { takes: "group" }),
    phone: variadic("phone numbers, like +447911123401; - reads them from standard input"),
  },
  options: { ...deleteOptions, ...severalOptions, country: countryOption },
  exitCodes: [[4, "a contact was not found; the others were deleted"]],
  examples: [
    "sendctl local contact delete 12 +447911123401 +447911123402 --yes",
    "sendctl local contact delete 12 - --yes",
  ],
  async run(context, { groupId: givenId, phone: given }, options) {
    const { ask, config, input, local, output } = context;
    const areRead = readsInput(given, options);
    // A confirmation cannot be read from standard input when that lists the contacts.
    if (areRead && !options.yes) throw unconfirmed("delete");
    const groupId = await localRecordKey(context, givenId, "GROUP_ID", groupChoice);
    const phones = areRead
      ? await (await import("../../../command/records/several.ts")).readWords(input, given, options)
      : given.length > 0
        ? given
        : [await required(ask, undefined, "PHONE", "Phone number")];
    const contacts = await local.contacts();
    if (!options.yes) {
      // The group is read from the embedded database: the selected service may be remote.
      const own = await local.service("read");
      const group = await own["group.fetch"]({ path: { id: groupId } });
      if (!succeeded(group)) return output.refusal(group);
      const { id, name } = group.envelope!.data as { readonly id: number; readonly name: string };
      const count = `${phones.length} contacts (${named(phones)})`;
      const what = phones.length === 1 ? `contact ${phones[0]}` : count;
      const from = `group ${id} (${name}) in ${databaseName(config.settings)}`;
      await confirm(context, "delete", `Delete ${what} from ${from}?`, "Nothing deleted");
    }
    const outcome = await contacts.delete(groupId, phones, options.country);
    return "status" in outcome ? output.refusal(outcome) : show(context, outcome);
  },
});

/** The most phone numbers that a question or an error lists; the others are counted. */
const maxNamed = 5;

/** Shows which contacts were deleted and which were not found. */
async function show({ output }: Capabilities, outcome: DeletedContacts): Promise<ExitCode> {
  const { deleted, not_found: missing } = outcome;
  const count = deleted.length === 1 ? "1 contact" : `${deleted.length} contacts`;
  if (missing.length === 0) {
    const message = `${count} deleted`;
    await output.report({ message, data: outcome });
    await output.say(message);
    return exitCodes.done;
  }
  const message = `${count} deleted, ${missing.length} not found: ${named(missing)}`;
  await output.report({ message, data: outcome, error: { kind: "not_found" } });
  await output.complain(safeText(message));
  return exitCodes.not_found;
}

function named(phones: readonly string[]): string {
  const more = phones.length - maxNamed;
  return `${phones.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
