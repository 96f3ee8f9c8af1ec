import {
  type Page,
  type PageQuery,
  type Reply,
  type ShownRecord,
  succeeded,
} from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { safeText } from "../../core/text.ts";
import type { Prompter } from "./prompter.ts";
import { refusalLine } from "../../service/refusals.ts";
import { textOf, type RecordView } from "../views.ts";

/** Newest records to search. An older one is chosen by typing its name or id. */
const searchLimit = 1000;

/**
 * Asks for a record, with a search over the newest ones. Text that matches no record can be used as typed.
 *
 * @param list the list operation
 * @returns the record; one with only its key, if that was typed
 * @throws SendctlError "cancelled"; "unexpected_response" if the service refuses to list its records
 */
export async function findRecord(
  prompter: Prompter,
  list: (query: PageQuery) => Promise<Reply>,
  view: RecordView,
): Promise<ShownRecord> {
  const first = await list({ perPage: searchLimit });
  // A service may refuse such a large page.
  const reply = [400, 422].includes(first.status) ? await list({}) : first;
  if (!succeeded(reply)) throw new SendctlError("unexpected_response", refusalLine(reply));
  const records = (reply.envelope!.data as Page<ShownRecord>).data;
  const choices = records.map((record) => ({
    value: String(record[view.key] as string | number),
    name: labelOf(record, view),
  }));
  const key = await prompter.search(`Which ${view.one}? Type to search`, (typed) => {
    const term = typed.trim().toLowerCase();
    const found = choices.filter(({ name }) => name.toLowerCase().includes(term));
    const isExact = choices.some(({ value }) => value === typed.trim());
    if (term === "" || isExact) return found;
    return [...found, { value: typed.trim(), name: `“${safeText(typed.trim())}”, as typed` }];
  });
  return records.find((record) => String(record[view.key]) === key) ?? { [view.key]: key };
}

/** Asks for a record like `findRecord`. @returns its key: the name of a sender ID, the id of a group */
export async function pickRecord(...asked: Parameters<typeof findRecord>): Promise<string> {
  const [, , view] = asked;
  return String((await findRecord(...asked))[view.key]);
}

/** Fields that describe a record, besides its key. */
const describing = ["name", "integration", "ending", "status", "purpose", "first_name", "base_url"];

/** Returns a record as one line: its key, then the other fields that it has. */
export function labelOf(record: ShownRecord, view: RecordView): string {
  const fields = describing.filter((field) => field !== view.key && record[field] !== undefined);
  return [view.key, ...fields].map((field) => textOf(record[field])).join(" · ");
}
