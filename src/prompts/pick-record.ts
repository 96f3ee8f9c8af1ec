import type { Page } from "../contract/records.ts";
import { succeeded, type PageQuery, type Reply } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { safeText } from "../output/safe-text.ts";
import type { Prompter } from "./prompter.ts";
import { refusalLine } from "../output/refusal.ts";
import { textOf, type RecordView } from "../output/views.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Newest records to search. An older one is chosen by typing its name or id. */
const searchLimit = 1000;

/**
 * Asks for a record, with a search over the newest ones. Text that matches no record can be used as typed.
 *
 * @param list the list operation
 * @returns the key of the record: the name of a sender ID, the id of a group
 * @throws SendctlError "cancelled"; "unexpected_response" if the service refuses to list its records
 */
export async function pickRecord(
  prompter: Prompter,
  list: (query: PageQuery) => Promise<Reply>,
  view: RecordView,
): Promise<string> {
  const first = await list({ perPage: searchLimit });
  // A service may refuse such a large page.
  const reply = [400, 422].includes(first.status) ? await list({}) : first;
  if (!succeeded(reply)) throw new SendctlError("unexpected_response", refusalLine(reply));
  const records = (reply.envelope!.data as Page<Fields>).data;
  const choices = records.map((record) => ({
    value: String(record[view.key] as string | number),
    name: labelOf(record, view),
  }));
  return prompter.search(`Which ${view.one}? Type to search`, (typed) => {
    const term = typed.trim().toLowerCase();
    const found = choices.filter(({ name }) => name.toLowerCase().includes(term));
    const isExact = choices.some(({ value }) => value === typed.trim());
    if (term === "" || isExact) return found;
    return [...found, { value: typed.trim(), name: `“${safeText(typed.trim())}”, as typed` }];
  });
}

/** Fields that describe a record, besides its key. */
const describing = ["name", "integration", "ending", "status", "purpose"];

function labelOf(record: Fields, view: RecordView): string {
  const fields = describing.filter((field) => field !== view.key && record[field] !== undefined);
  return [view.key, ...fields].map((field) => textOf(record[field])).join(" · ");
}
