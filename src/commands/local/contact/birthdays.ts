import { daysLater, isDay, lastDay, localDay } from "../../../core/time.ts";
import type { Birthday } from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";
import { invalidValue, wholeNumber } from "../../../command/arguments.ts";
import { placeholder, placeholderWarning, rendered } from "../../sms.ts";
import { recordSource } from "../../../output/status/progress.ts";
import { statusCell, type RecordView } from "../../../output/views.ts";
import { counted } from "../../../core/text.ts";
import { defineCommand, text } from "../../../command/define-command.ts";

export const localBirthdays = defineCommand({
  path: "local birthdays",
  summary: "List birthday messages and their recipients",
  description:
    "List the birthday messages that groups would send, with recipient, group and sender ID, and what is missing. Groups that do not send birthday messages are omitted.",
  options: {
    on: text("--on <date>", "first day, like 2026-01-31 (default: today)"),
    days: text("--days <n>", "number of days, up to 366", { default: "1" }),
  },
  examples: ["sendctl local birthdays", "sendctl local birthdays --on 2026-02-28 --days 7 --json"],
  async run({ clock, local, output }, _, options) {
    const days = wholeNumber(options.days, "--days", 1, maxDays)!;
    const on = options.on ?? localDay(clock.now());
    if (!isDay(on)) throw invalidValue("day", on, "--on", "write it as 2026-01-31");
    const last = daysLater(on, days - 1);
    if (last === undefined) {
      throw new SendctlError("usage", `--on and --days extend beyond ${lastDay}`, {
        hint: "use an earlier date",
      });
    }
    const birthdays = (await local.contacts("read")).birthdays(on, days);
    const span = days === 1 ? `on ${on}` : `from ${on} to ${last}`;
    const nothing = `No birthdays ${span} in groups that send birthday messages`;
    let incomplete = 0;
    const warnings = new Map<number, string | undefined>();
    const recordsOf = async function* (pages: AsyncIterable<readonly Birthday[]>) {
      for await (const page of pages) {
        const records = page.map(recordOf);
        for (const { group } of page) {
          if (warnings.has(group.id)) continue;
          warnings.set(group.id, placeholderWarning(group.birthday_message ?? ""));
        }
        incomplete += records.filter(({ missing }) => missing.length > 0).length;
        yield records;
      }
    };
    const pages = recordsOf(birthdays.pages);
    const source = recordSource({ ...birthdays, pages }, output.progress());
    const exitCode = await output.stream(source, birthdayView, { nothing });
    if (incomplete > 0) {
      const verb = incomplete === 1 ? "is" : "are";
      await output.warn(
        `${counted(incomplete, "message")} ${verb} incomplete: see the "missing" column`,
      );
    }
    for (const [id, warning] of warnings) {
      if (warning !== undefined) await output.warn(`group ${id}: ${warning}`);
    }
    return exitCode;
  },
});

/** Every birthday occurs within this number of days: ruling 28. */
const maxDays = 366;

/** Returns a message that a group would send, and what it lacks. */
function recordOf({ date, contact, group, sender_id }: Birthday) {
  const { phone, first_name } = contact;
  const { birthday_message: text } = group;
  const needsName = text !== null && first_name === null && text.includes(placeholder);
  return {
    date,
    phone,
    first_name,
    group_id: group.id,
    group: group.name,
    sender_id: sender_id?.name ?? null,
    sender_id_status: sender_id?.status ?? null,
    // Without a first name the placeholder stays: ruling 28.
    message: text === null || first_name === null ? text : rendered(text, first_name),
    missing: [
      ...(sender_id === null ? ["sender_id"] : []),
      ...(sender_id !== null && sender_id.status !== "APPROVED" ? ["approval"] : []),
      ...(text === null ? ["birthday_message"] : []),
      ...(needsName ? ["first_name"] : []),
    ],
  };
}

/** What a birthday message lacks to be sent, or to be complete: ruling 28. */
const missingTexts: Readonly<Record<string, string>> = {
  sender_id: "a sender ID",
  approval: "approval of the sender ID",
  birthday_message: "a birthday message",
  first_name: "the first name",
};

const birthdayFields: RecordView["fields"] = {
  date: { label: "Date" },
  phone: { label: "Phone" },
  first_name: { label: "First name", column: { least: 8 } },
  group_id: { label: "Group ID" },
  group: { label: "Group", column: { least: 8 } },
  sender_id: { label: "Sender ID", column: { least: 8 } },
  sender_id_status: {
    label: "Status",
    cell: (value) => (value === null ? { text: "-" } : statusCell(value)),
  },
  message: { label: "Message", column: { least: 16 } },
  missing: {
    label: "Missing",
    cell: (value) => {
      const texts = (value as readonly string[]).map((name) => missingTexts[name]);
      if (texts.length === 0) return { text: "-", style: (style) => style.faint };
      return { text: texts.join(", "), style: (style) => style.bad };
    },
  },
};

const birthdayView: RecordView = {
  key: "phone",
  fields: birthdayFields,
  columns: Object.keys(birthdayFields),
};
