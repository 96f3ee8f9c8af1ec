import type { Page } from "../contract/records.ts";
import { succeeded, type PageQuery, type Reply } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { safeText } from "../output/safe-text.ts";
import type { Prompter } from "./prompter.ts";
import { refusalLine } from "../output/refusal.ts";
import { textOf, type RecordView } from "../output/views.ts";

type Fields = Readonly<Record<string, unknown>>;

/** How many of the newest records are searched: what is older is found by typing its name or id. */
const searched = 1000;

/**
 * One of the newest records, searched for by what is typed; whatever else is typed is taken as it is.
 *
 * @param list the operation
 * @returns what names the record to a command: the name of a sender ID, the id of a group
 * @throws SendctlError "cancelled"; "unexpected_response" when the service refuses to list its records
 */
export async function pickRecord(
  prompter: Prompter,
  list: (query: PageQuery) => Promise<Reply>,
  view: RecordView,
): Promise<string> {
  const first = await list({ perPage: searched });
  // A service may refuse to show as many on a page.
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

/** Fields that describe a record to a person, beside the one that names it. */
const describing = ["name", "integration", "ending", "status", "purpose"];

function labelOf(record: Fields, view: RecordView): string {
  const fields = describing.filter((field) => field !== view.key && record[field] !== undefined);
  return [view.key, ...fields].map((field) => textOf(record[field])).join(" · ");
}
