import { contactView } from "../../commands/local/contact/contacts.ts";
import { profilePage } from "../../commands/profile/list-and-show.ts";
import type { List } from "../../service/read-list.ts";
import { successOf } from "../../service/refusals.ts";
import {
  groupView,
  integrationView,
  keyView,
  profileView,
  senderIdView,
  type RecordView,
} from "../../output/views.ts";
import type { Session } from "../../command/session.ts";
import { pickRecord } from "../../output/prompts/pick-record.ts";
import type { Menu } from "./session.ts";

/** A list of the menu. */
export interface Listing {
  readonly view: RecordView;
  /**
   * Returns a function that lists the records.
   *
   * @param args the arguments of the command that prints the list
   * @param isLocal true to list those of the embedded engine, even if a service is chosen
   */
  readonly list: (context: Session, args: readonly string[], isLocal: boolean) => List;
  /**
   * What can be done with a record: the names of commands that take its key. After one that only
   * shows the record, what can be done is asked again, below what it has shown.
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
        successOf(await (await local.contacts("read")).list(group, query)),
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

/**
 * Asks for a record.
 *
 * @param name the command that lists it
 * @param args the arguments of that command
 * @param isLocal true for a command that always works on the embedded engine
 * @returns its key
 */
export async function pick(
  { session, prompter }: Menu,
  name: string,
  args: readonly string[],
  isLocal: boolean,
): Promise<string> {
  const { view, list } = listings[name]!;
  return pickRecord(prompter, list(session, args, isLocal), view);
}
