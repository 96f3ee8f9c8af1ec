import { groupKind } from "../../../command/records/find.ts";
import { fetching, onRecords } from "../../../command/records/on-records.ts";
import type { Session } from "../../../command/session.ts";
import type { ShownRecord } from "../../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError } from "../../../core/error.ts";
import type { Output } from "../../../output/output.ts";
import { doneReply } from "../../../service/lines.ts";
import { safeText } from "../../../core/text.ts";
import { emptyValue, missing } from "../../../command/arguments.ts";
import {
  characterName,
  maxCountedLength,
  messageCost,
  rendered,
  typicalName,
  placeholderWarning,
  unknownPlaceholders,
} from "../../sms.ts";
import type { Cell } from "../../../output/table/table.ts";
import { textOf, type RecordView } from "../../../output/views.ts";

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
    cell: (value) => listCell((value as readonly string[]).map(characterName)),
  },
  unknown_placeholders: {
    label: "Unknown placeholders",
    cell: (value) => listCell(value as readonly string[]),
  },
};

const previewView: RecordView = {
  key: "group_id",
  fields,
  columns: Object.keys(fields),
};

function listCell(texts: readonly string[]): Cell {
  return { text: safeText(texts.join(", ")) || "-" };
}

/**
 * Shows a group's birthday message, or the given text, as a contact receives it, with its cost.
 *
 * @throws SendctlError "usage" for neither if it cannot prompt, and for an empty or too long text
 */
export async function showPreview(
  context: Session,
  givenId: string | undefined,
  {
    firstName = typicalName,
    birthdayMessage,
  }: { readonly firstName?: string; readonly birthdayMessage?: string },
): Promise<ExitCode> {
  const { output } = context;
  if (birthdayMessage === "") throw emptyValue("--birthday-message", "pass a text");
  if (birthdayMessage !== undefined) return preview(output, {}, birthdayMessage, firstName);
  if (givenId === undefined && context.ask.prompter() === undefined) {
    throw missing("GROUP or --birthday-message TEXT");
  }
  return onRecords(context, groupKind, { words: [givenId] }, () => ({
    ...fetching(context, groupKind),
    show: async ({ envelope }) => {
      const group = envelope!.data as ShownRecord;
      const message = group["birthday_message"];
      return preview(output, group, typeof message === "string" ? message : "", firstName);
    },
  }));
}

/**
 * Shows a message. A group without one is not a failure: its contacts are sent no message.
 *
 * @param group empty for a text given on the command line
 */
async function preview(
  output: Output,
  group: ShownRecord,
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
  const isEmpty = message === "";
  const { encoding, characters, units, segments, ucs2Characters } = cost;
  const data = {
    group_id: group["id"] ?? null,
    group: group["name"] ?? null,
    first_name: firstName,
    birthday_message: isEmpty ? null : message,
    message: isEmpty ? null : text,
    encoding: isEmpty ? null : encoding,
    characters,
    units,
    segments: isEmpty ? 0 : segments,
    ucs2_characters: ucs2Characters,
    unknown_placeholders: unknownPlaceholders(message),
  };
  const warning = placeholderWarning(message);
  if (warning !== undefined) await output.warn(warning);
  if (!isEmpty) return output.record(doneReply("Preview", data), previewView);
  await output.say(`Group ${textOf(data.group)} has no birthday message`);
  // The line above says it all.
  const records = { items: [data], view: previewView };
  await output.report({ message: "Preview", data, text: "", records });
  return exitCodes.done;
}
