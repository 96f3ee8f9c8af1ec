import { contactView } from "../../../commands/local/contact/views.ts";
import { knownStatuses } from "../../../commands/sender-id/statuses.ts";
import type { ShownRecord } from "../../../contract/service.ts";
import {
  groupView,
  integrationView,
  keyView,
  profileView,
  senderIdView,
} from "../../../output/views.ts";
import type { List } from "../../../service/pages.ts";
import { editGroup } from "../edit-group.ts";
import { pickKey, pickWord } from "../pick.ts";
import { askForContact } from "../questions.ts";
import { administered, listOf, profileList, recordsOf } from "../record-lists.ts";
import type { Session } from "../session.ts";
import { lineFor, optionalWords } from "../words.ts";
import { browse, type Action, type Listing } from "./browse.ts";
import { foundPages, servicePages, slicedPages } from "./page-source.ts";

/** Returns the list that a command prints; undefined if there is nothing to choose. */
type MakeListing = (session: Session) => Promise<Listing | undefined>;

/** The lists of the menu, by their commands. */
export const listings: Readonly<Record<string, MakeListing>> = {
  "sender-id list": async ({ context }) => ({
    line: lineFor(["sender-id", "list"], []),
    view: senderIdView,
    takes: { page: true, search: true },
    ...pagedBy((query) => listOf(context(), "sender-id")(query)),
    actions: ({ name }) => senderIdActions(String(name), isEmbedded(context())),
  }),
  "group list": async ({ context }) => ({
    line: lineFor(["group", "list"], []),
    view: groupView,
    takes: { page: true, search: true },
    ...pagedBy((query) => listOf(context(), "group")(query)),
    actions: ({ id }) => groupActions(String(id), isEmbedded(context())),
  }),
  "local integration list": async ({ context }) => ({
    line: lineFor(["local", "integration", "list"], []),
    view: integrationView,
    takes: { page: false, search: false },
    pages: slicedPages(async () => recordsOf(await administered(context(), "listIntegrations"))),
    actions: ({ name }) => [
      fixed("Create a key", ["local", "key", "create"], [], ["--integration", String(name)]),
      fixed("Delete", ["local", "integration", "delete"], [String(name)]),
    ],
  }),
  "local key list": async ({ context }) => ({
    line: lineFor(["local", "key", "list"], []),
    view: keyView,
    takes: { page: false, search: false },
    pages: slicedPages(async () => recordsOf(await administered(context(), "listKeys"))),
    actions: ({ id }) => [fixed("Revoke", ["local", "key", "revoke"], [String(id)])],
  }),
  "local contact list": async (session) => {
    const id = await pickKey(session, "group", true);
    return id === undefined ? undefined : contactListing(session, id);
  },
  "profile list": async ({ context }) => ({
    line: lineFor(["profile", "list"], []),
    view: { ...profileView, columns: ["name", "current", "base_url"] },
    takes: { page: false, search: false },
    pages: slicedPages(async () => recordsOf(profileList(context()))),
    actions: ({ name }) => [
      fixed("Show", ["profile", "show"], [String(name)]),
      fixed("Use", ["profile", "use"], [String(name)]),
      {
        name: "Rename",
        ask: async ({ prompter }) => {
          const wanted = await prompter.ask("New name of the profile");
          return lineFor(["profile", "rename"], [String(name), wanted]);
        },
      },
      fixed("Remove its key", ["logout"], [], ["--profile", String(name)]),
      fixed("Delete", ["profile", "delete"], [String(name)]),
    ],
  }),
};

function isEmbedded({ config }: ReturnType<Session["context"]>): boolean {
  return config.settings.baseUrl === undefined;
}

function pagedBy(list: List): Pick<Listing, "pages" | "find"> {
  return { pages: servicePages(list), find: (text) => foundPages(list, text) };
}

/** Returns an action without questions. */
function fixed(
  name: string,
  path: readonly string[],
  keys: readonly string[],
  options: readonly string[] = [],
): Action {
  return { name, ask: async () => lineFor(path, keys, options) };
}

function senderIdActions(name: string, hasReview: boolean): readonly Action[] {
  const review: Action = {
    name: "Set its status",
    ask: async (session) => {
      const status = await pickWord(session, "Status", knownStatuses);
      return lineFor(["local", "review"], [name], ["--status", status]);
    },
  };
  return [
    fixed("Open", ["sender-id", "fetch"], [name]),
    ...(hasReview ? [review] : []),
    fixed("Delete", ["sender-id", "delete"], [name]),
  ];
}

function groupActions(id: string, hasContacts: boolean): readonly Action[] {
  const contacts: Action = {
    name: "Contacts",
    ask: async (session) => {
      await browse(session, contactListing(session, id));
      return undefined;
    },
  };
  return [
    fixed("Open", ["group", "fetch"], [id]),
    {
      name: "Edit",
      ask: async (session) => {
        const options = await editGroup(session, id);
        return options && lineFor(["group", "update"], [id], options);
      },
    },
    {
      name: "Preview the birthday message",
      ask: async ({ prompter }) => {
        const firstName = await prompter.edit("First name (empty for Ada)", "");
        return lineFor(["group", "preview"], [id], optionalWords("--first-name", firstName));
      },
    },
    ...(hasContacts ? [contacts] : []),
    fixed("Delete", ["group", "delete"], [id]),
  ];
}

function contactListing({ context }: Session, groupId: string): Listing {
  const list: List = async (query) => (await context().local.contacts("read")).list(groupId, query);
  return {
    line: lineFor(["local", "contact", "list"], [groupId]),
    view: contactView,
    of: `of group ${groupId}`,
    takes: { page: true, search: false },
    ...pagedBy(list),
    actions: (record) => contactActions(groupId, record),
  };
}

function contactActions(groupId: string, record: ShownRecord): readonly Action[] {
  const phone = String(record["phone"]);
  return [
    {
      name: "Edit",
      ask: async (session) => {
        const options = await askForContact(session, record);
        if (options.length > 0)
          return lineFor(["local", "contact", "add"], [groupId, phone], options);
        await session.say("Nothing changed");
        return undefined;
      },
    },
    fixed("Delete", ["local", "contact", "delete"], [groupId, phone]),
  ];
}
