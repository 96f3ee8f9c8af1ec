import { groupChoice, recordKey } from "../../../command/records/single.ts";
import type { Capabilities } from "../../../command/capabilities.ts";
import { succeeded } from "../../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError } from "../../../core/error.ts";
import type { Output } from "../../../output/output.ts";
import { doneReply } from "../../../service/lines.ts";
import { safeText } from "../../../core/safe-text.ts";
import { emptyValue } from "../../../command/arguments.ts";
import {
  rendered,
  typicalName,
  unknownPlaceholders,
  warnOfPlaceholders,
} from "../birthday-message.ts";
import { characterName, maxCountedLength, messageCost } from "../message-cost.ts";
import { textOf, type RecordView } from "../../../output/views.ts";

interface PreviewOptions {
  readonly firstName?: string;
  readonly birthdayMessage?: string;
}

/** The group of the message; both null for a text given on the command line. */
interface Source {
  readonly group_id: unknown;
  readonly group: unknown;
}

const previewed = "Preview";

const fields: RecordView["fields"] = {
  group_id: { label: "Group ID" },
  group: { label: "Group" },
  first_name: { label: "First name" },
  birthday_message: { label: "Birthday message" },
  message: { label: "Message" },
  encoding: { label: "Encoding" },
  characters: { label: "Characters" },
  units: { label: "Units" },
  segments: {
    label: "Segments",
    cell: (value) => ({
      text: textOf(value),
      style: (style) => (Number(value) > 1 ? style.waiting : style.good),
    }),
  },
  ucs2_characters: {
    label: "Force UCS-2",
    cell: (value) => ({
      text: safeText((value as readonly string[]).map(characterName).join(", ")) || "-",
    }),
  },
  unknown_placeholders: {
    label: "Unknown placeholders",
    cell: (value) => ({ text: safeText((value as readonly string[]).join(", ")) || "-" }),
  },
};

const previewView: RecordView = {
  one: "preview",
  many: "previews",
  toCreate: "sendctl group preview GROUP",
  key: "group_id",
  fields,
  columns: Object.keys(fields),
};

/**
 * Shows a group's birthday message, or the given text, as a contact receives it, with its cost.
 *
 * @throws SendctlError "usage" for neither if prompting is not possible, and for a text that is empty or too long
 */
export async function showPreview(
  context: Pick<Capabilities, "service" | "output" | "ask" | "config">,
  givenId: string | undefined,
  { firstName = typicalName, birthdayMessage }: PreviewOptions,
): Promise<ExitCode> {
  const { service, output } = context;
  if (birthdayMessage === "") throw emptyValue("--birthday-message", "pass a text");
  if (birthdayMessage !== undefined) {
    return preview(output, { group_id: null, group: null }, birthdayMessage, firstName);
  }
  const label = givenId === undefined ? "GROUP or --birthday-message TEXT" : "GROUP";
  const { key: id, expected } = await recordKey(context, givenId, label, groupChoice);
  const reply = await service["group.fetch"]({ path: { id }, expected });
  if (!succeeded(reply)) return output.refusal(reply);
  const group = reply.envelope!.data as Readonly<Record<string, unknown>>;
  const { birthday_message: message } = group;
  const { id: groupId = null, name = null } = group;
  const source = { group_id: plain(groupId), group: plain(name) };
  return preview(output, source, typeof message === "string" ? message : "", firstName);
}

/** Turns a bigint, which JSON cannot represent, or a nested value, which may be endless, into text. */
function plain(value: unknown): unknown {
  const isPlain = value === null || !["bigint", "object"].includes(typeof value);
  return isPlain ? value : textOf(value);
}

/** Shows a message. A group without one is not a failure: its contacts are sent no message. */
async function preview(
  output: Output,
  source: Source,
  message: string,
  firstName: string,
): Promise<ExitCode> {
  const text = rendered(message, firstName);
  const cost = await messageCost(text);
  if (cost === undefined) {
    throw new SendctlError("usage", "the message is too long to preview", {
      hint: `use up to ${maxCountedLength} characters`,
    });
  }
  const { ucs2Characters, ...counts } = cost;
  const nothing = { encoding: null, characters: 0, units: 0, segments: 0 };
  const data = {
    ...source,
    first_name: firstName,
    birthday_message: message === "" ? null : message,
    message: message === "" ? null : text,
    ...(message === "" ? nothing : counts),
    ucs2_characters: ucs2Characters,
    unknown_placeholders: unknownPlaceholders(message),
  };
  await warnOfPlaceholders(output, message);
  if (message !== "") return output.record(doneReply(previewed, data), previewView);
  await output.say(`Group ${textOf(source.group)} has no birthday message`);
  // The line above says it all.
  const records = { items: [data], view: previewView };
  await output.report({ message: previewed, data, text: "", records });
  return exitCodes.done;
}
