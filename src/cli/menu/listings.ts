import { contactView } from "../../commands/local/contact/contacts.ts";
import { profilePage } from "../../commands/profile/list-and-show.ts";
import { type Page, type Reply, type ShownRecord } from "../../contract/service.ts";
import type { List } from "../../service/read-list.ts";
import {
  groupView,
  integrationView,
  keyView,
  profileView,
  senderIdView,
  type RecordView,
} from "../../output/views.ts";
import type { Session } from "../../command/session.ts";
import { cutToWidth, displayWidth, prepareToMeasure } from "../../output/table/display-width.ts";
import { findRecord, labelOf } from "../../output/prompts/pick-record.ts";
import { orEscape, type Line, type MenuSession } from "./session.ts";
import { isRefusal, successOf } from "../../service/refusals.ts";

/** A list of the menu. */
interface Listing {
  readonly view: RecordView;
  /**
   * Returns a function that lists the records.
   *
   * @param args the arguments of the command that prints the list
   * @param isLocal true to list those of the embedded engine, even if a service is chosen
   */
  readonly list: (context: Session, args: readonly string[], isLocal: boolean) => List;
  /**
   * What can be done with a record: the names of commands that take its key. After one that only shows the record, what
   * can be done is asked again, below what it has shown.
   */
  readonly actions: readonly (readonly [name: string, command: string, onlyShows?: true])[];
}

/** The lists of the menu, by the command that prints them. */
export const listings: Readonly<Record<string, Listing>> = {
  "sender-id list": {
    view: senderIdView,
    list: serviceList("sender-id.list"),
    actions: [
      ["Open", "sender-id fetch", true],
      ["Set its status", "local review"],
      ["Delete", "sender-id delete"],
    ],
  },
  "group list": {
    view: groupView,
    list: serviceList("group.list"),
    actions: [
      ["Open", "group fetch", true],
      ["Edit", "group update"],
      ["Preview the birthday message", "group preview", true],
      ["Contacts", "local contact list"],
      ["Delete", "group delete"],
    ],
  },
  "local integration list": {
    view: integrationView,
    list: administered("listIntegrations"),
    actions: [
      ["Create a key", "local key create"],
      ["Delete", "local integration delete"],
    ],
  },
  "local key list": {
    view: keyView,
    list: administered("listKeys"),
    actions: [["Revoke", "local key revoke"]],
  },
  "local contact list": {
    view: contactView,
    list:
      ({ local }, [group = ""]) =>
      async (query) =>
        (await local.contacts("read")).list(group, query),
    actions: [
      ["Edit", "local contact add"],
      ["Delete", "local contact delete"],
    ],
  },
  "profile list": {
    view: profileView,
    list: (context) => async () => profilePage(context),
    actions: [
      ["Show", "profile show", true],
      ["Use", "profile use"],
      ["Rename", "profile rename"],
      ["Remove its key", "logout"],
      ["Delete", "profile delete"],
    ],
  },
};

function serviceList(name: "sender-id.list" | "group.list"): Listing["list"] {
  return (context, _, isLocal) =>
    isLocal
      ? async (query) => (await context.local.service())[name]({ query })
      : context.ask.list(name);
}

/** Lists the integrations or the keys of the embedded engine. */
function administered(operation: "listIntegrations" | "listKeys"): Listing["list"] {
  return ({ local }) =>
    async () =>
      (await local.engine("read")).administration[operation]();
}

/** Returns the page of a list. */
function pageOf(reply: Reply): Page<ShownRecord> {
  return successOf(reply).envelope!.data as Page<ShownRecord>;
}

const back = { value: "back", name: "Back" };

/**
 * Shows a list page by page and performs the chosen actions on its records, until "Back" is chosen.
 *
 * @param line the command that prints the list
 */
export async function browse(session: MenuSession, listing: Listing, line: Line): Promise<void> {
  const { context, prompter, say, show, run } = session;
  const { view } = listing;
  let page = 1;
  let echoed = 0;
  let initial: string | undefined;
  for (;;) {
    const list = listing.list(context(), line.args, line.path[0] === "local");
    const shown = await list(page === 1 ? {} : { page }).then(pageOf, (error: unknown) => {
      if (isRefusal(error)) return undefined;
      throw error;
    });
    // For a refusal or an empty list, the command prints its own message.
    if (shown === undefined || shown.total === 0) return run(line);
    // The last page may have become empty.
    if (shown.data.length === 0 && page > 1) {
      page = Math.min(page - 1, Math.max(1, shown.last_page));
      continue;
    }
    if (shown.current_page !== page && page <= shown.last_page) {
      await say(`Warning: the service returned page ${shown.current_page} instead of page ${page}`);
    }
    page = shown.current_page;
    const pageOption = page === 1 ? [] : ["--page", String(page)];
    if (echoed !== page) await show({ ...line, args: [...line.args, ...pageOption] });
    echoed = page;
    const lines = await recordLines(shown.data, view, prompter.columns());
    const choices = [
      ...lines.map((name, index) => ({ value: String(index), name })),
      ...(page < shown.last_page ? [{ value: "next", name: "Next page" }] : []),
      ...(page > 1 ? [{ value: "previous", name: "Previous page" }] : []),
      { value: "search", name: "Search" },
      back,
    ];
    const hasInitial = choices.some(({ value }) => value === initial);
    const title = titleOf(view, line, shown);
    const preset = hasInitial ? initial : undefined;
    initial = await orEscape(() => prompter.select(title, choices, preset), back.value);
    if (initial === "back") return undefined;
    if (initial === "next") page += 1;
    else if (initial === "previous") page -= 1;
    else {
      const chosen = shown.data[Number(initial)];
      const choose = async (): Promise<void> =>
        act(session, listing, line, chosen ?? (await findRecord(prompter, list, view)));
      await orEscape(choose, undefined);
    }
  }
}

function titleOf({ one, many }: RecordView, { args }: Line, page: Page<unknown>): string {
  const { total, current_page, last_page } = page;
  return [
    `${total} ${total === 1 ? one : many}`,
    ...(args.length === 0 ? [] : [` of group ${args[0]}`]),
    ...(last_page > 1 ? [`, page ${current_page} of ${last_page}`] : []),
  ].join("");
}

/** Asks for an action on a record and performs it, again after each that only shows the record. */
async function act(session: MenuSession, listing: Listing, line: Line, record: ShownRecord) {
  const { context, prompter, perform } = session;
  const { view, actions } = listing;
  const isEmbedded = context().config.settings.baseUrl === undefined || line.path[0] === "local";
  const [title] = await recordLines([record], view, prompter.columns());
  const offered = actions.filter(([, command]) => isEmbedded || !command.startsWith("local "));
  const choices = [...offered.map(([name, command]) => ({ value: command, name })), back];
  let chosen: string | undefined;
  do {
    chosen = await prompter.select(title!, choices, chosen);
    if (chosen === back.value) return;
    await perform(chosen, [...line.args, String(record[view.key])], record);
  } while (offered.some(([, command, onlyShows]) => command === chosen && onlyShows === true));
}

/** Leaves room for the cursor and a space before a choice, and for a free last column. */
const reserved = "❯  ".length;

/** Returns a line for each record, cut to the width of the terminal. */
async function recordLines(
  records: readonly ShownRecord[],
  view: RecordView,
  columns: number,
): Promise<readonly string[]> {
  await prepareToMeasure(records.map((record) => labelOf(record, view)));
  const width = columns - reserved;
  const cutName = (name: string, id: string): string => cutToWidth(name, width - displayWidth(id));
  return records.map((record) => cutToWidth(labelOf(record, view, cutName), width));
}
