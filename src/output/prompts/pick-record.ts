import type { Page, ShownRecord } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { safeText } from "../../core/text.ts";
import { newestPage, type List } from "../../service/read-list.ts";
import type { Prompter } from "./questions.ts";
import { textOf, type RecordView } from "../views.ts";

/**
 * Asks for a record, with a search over the newest ones. Text that matches no record can be used as
 * typed: the name or id of an older one.
 *
 * @param list the list operation
 * @returns the record; one with only its key, if that was typed
 * @throws SendctlError "cancelled"; "not_found" without records; Refusal
 */
export async function findRecord(
  prompter: Prompter,
  list: List,
  view: RecordView,
): Promise<ShownRecord> {
  const reply = await newestPage(list);
  const records = (reply.envelope!.data as Page<ShownRecord>).data;
  if (records.length === 0) {
    const hint = view.toCreate && `create one: ${view.toCreate}`;
    throw new SendctlError("not_found", `no ${view.many ?? "records"} yet`, { hint });
  }
  const choices = records.map((record) => ({
    value: String(record[view.key] as string | number),
    name: labelOf(record, view),
  }));
  const key = await prompter.search(`Which ${view.one}? Type to search`, (typed) => {
    const term = typed.trim().toLowerCase();
    const found = choices.filter(({ name }) => name.toLowerCase().includes(term));
    const exact = choices.find(({ value }) => value === typed.trim());
    if (exact !== undefined) return [exact, ...found.filter((choice) => choice !== exact)];
    if (term === "") return found;
    return [...found, { value: typed.trim(), name: `“${safeText(typed.trim())}”, as typed` }];
  });
  return records.find((record) => String(record[view.key]) === key) ?? { [view.key]: key };
}

/** Asks for a record. @returns its key: the name of a sender ID, the id of a group */
export async function pickRecord(...asked: Parameters<typeof findRecord>): Promise<string> {
  const [, , view] = asked;
  return String((await findRecord(...asked))[view.key]);
}

/** Fields that describe a record, besides its key. */
const describing = ["name", "integration", "ending", "status", "purpose", "first_name", "base_url"];

/**
 * Returns a record as one line: its key, then the other fields that it has. An id follows the name,
 * because a number at the beginning looks like that of the line.
 *
 * @param cutName cuts a name so that its id fits beside it
 */
export function labelOf(
  record: ShownRecord,
  view: RecordView,
  cutName = (name: string, _id: string): string => name,
): string {
  const fields = describing.filter((field) => field !== view.key && record[field] != null);
  const texts = fields.map((field) => textOf(record[field]));
  const key = textOf(record[view.key]);
  if (view.key !== "id") return [key, ...texts].join(" · ");
  const id = `id ${key}`;
  const [name, ...others] = texts;
  return [...(name === undefined ? [] : [cutName(name, ` · ${id}`)]), id, ...others].join(" · ");
}
