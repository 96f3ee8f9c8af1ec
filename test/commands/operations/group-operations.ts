import {
  invalid,
  lacks,
  misused,
  nameLength,
  onOneLine,
  page,
  perPageBounds,
  quotesHint,
  refuses,
  shows,
  unusable,
  type OperationCase,
} from "./operation-case.ts";
import { time, uuid } from "../../support/home.ts";

const greeting = "Happy birthday, {first_name}!";

/** Command lines that create the groups of the stocked database, after its sender IDs. */
export const stockedGroups = [
  ["group", "create", "Customers"],
  ["group", "create", "Friends", "--send-birthday", "--birthday-message", greeting],
  ["group", "update", "2", "--send-holiday", "--sender-id", "ACME"],
];

const customers = {
  id: 1,
  uuid,
  name: "Customers",
  send_birthday: false,
  send_holiday: null as boolean | null,
  birthday_message: null as string | null,
  created_at: time,
};
type Group = typeof customers;
const friends = {
  ...customers,
  id: 2,
  name: "Friends",
  send_birthday: true,
  send_holiday: true,
  birthday_message: greeting,
};

/** Returns a group as in a list, with contacts_count before created_at. */
const listed = ({ created_at, ...record }: Group) => ({ ...record, contacts_count: 0, created_at });

const rows = `ID  Name       Contacts  Birthday  Holiday  Birthday message               Created
 2  Friends           0  yes       yes      ${greeting}  ${time}
 1  Customers         0  no        -        -                              ${time}
`;

const yesOrNo = (flag: boolean | null) => (flag === null ? "-" : flag ? "yes" : "no");

const tableOf = ({ id, name, send_birthday, send_holiday, birthday_message }: Group) =>
  `ID                ${id}
UUID              ${uuid}
Name              ${name}
Birthday          ${yesOrNo(send_birthday)}
Holiday           ${yesOrNo(send_holiday)}
Birthday message  ${birthday_message === null ? "-" : onOneLine(birthday_message)}
Created           ${time}
`;

/** A case that creates a group. */
function creates(line: string, fields: Partial<Group> = {}): OperationCase {
  const created = { ...customers, id: 3, name: "Staff", ...fields };
  const said = `Group ${created.name} (id ${created.id}) created`;
  return shows(line, "Group created", created, { table: tableOf(created), said });
}

/** A case that changes a group. */
function updates(line: string, updated: Group): OperationCase {
  const said = `Group ${updated.name} (id ${updated.id}) updated`;
  return shows(line, "Group updated", updated, { table: tableOf(updated), said });
}

const retrieved = "Groups retrieved";
const messageLength = "must have 1 to 1600 characters";
const unknown = "Group not found:";

/** The error of two options that contradict each other. */
const contradicts = (one: string, other: string) =>
  `option '${one}' cannot be used with option '${other}'`;

const creating: readonly OperationCase[] = [
  creates("group create Staff"),
  creates("groups create Staff"),
  creates("group create Friends", { name: "Friends" }),
  creates(`group create --birthday-message '${greeting}' Staff --send-birthday`, {
    send_birthday: true,
    birthday_message: greeting,
  }),
  creates("group create Staff --no-send-birthday"),
  creates("group create Staff --birthday-message 'Hi\nyou\t\u001b[31m'", {
    birthday_message: "Hi\nyou\t\u001b[31m",
  }),
  misused(
    "group create Staff --no-send-birthday --send-birthday",
    contradicts("--no-send-birthday", "--send-birthday"),
  ),
  misused("group create", "missing required argument NAME", "sendctl group create Customers"),
  misused("group create Old friends", "group create takes 1 argument, not 2", quotesHint),
  misused(
    "group create Staff --birthday-message",
    "option --birthday-message <text> requires a value",
    "see sendctl group create --help",
  ),
  invalid("group create ''", { name: nameLength }),
  invalid("group create ' Staff'", { name: "must not begin or end with white space" }),
  ...["", "🎂".repeat(1601)].map((message) =>
    invalid(`group create Staff --birthday-message '${message}'`, {
      birthday_message: messageLength,
    }),
  ),
];

const all = { table: rows, said: "" };
const both = [listed(friends), listed(customers)];

const listing: readonly OperationCase[] = [
  shows("group list", retrieved, page(both), all),
  shows("groups ls --all", retrieved, page(both, { per_page: 2 }), all),
  shows("group list", retrieved, page([]), {
    empty: true,
    said: "No groups yet · create one: sendctl group create NAME",
  }),
  shows(
    "group list --per-page 1 --page 2",
    retrieved,
    page([listed(customers)], { current_page: 2, last_page: 2, per_page: 1, total: 2 }),
    {
      table: `ID  Name       Contacts  Birthday  Holiday  Birthday message  Created
 1  Customers         0  no        -        -                 ${time}
`,
      said: "",
      missing: "page 2 of 2: 1 of 2 records; --all for the rest",
    },
  ),
  invalid("group list --per-page 1001", { perPage: perPageBounds }),
  misused("group list --per-page all", 'invalid number "all" for --per-page', "use a whole number"),
  misused("group list --page 2 --all", "--all conflicts with --page", "pass one of them"),
];

const fetched = (line: string, group: Group) =>
  shows(line, "Group retrieved", group, {
    table: `${tableOf(group)}Contacts          0\n`,
    said: "",
  });

const fetching: readonly OperationCase[] = [
  fetched("group fetch 1", customers),
  fetched("groups get 2", friends),
  fetched("group fetch Customers", customers),
  ...["3", "01", uuid, "9".repeat(40)].map((id) =>
    refuses(`group fetch -- ${id}`, 404, `${unknown} ${id}`),
  ),
  ...["1.0", "-1"].map((name) => lacks(`group fetch -- ${name}`, name)),
  lacks("group fetch customers", "customers", 'did you mean "Customers" (1)?'),
  lacks("group fetch name:1", "1"),
  misused("group fetch", "missing required argument GROUP"),
  ...["", ".", ".."].map((id) => unusable(`group fetch '${id}'`, "GROUP", id)),
];

const updating: readonly OperationCase[] = [
  updates("group update 1 --name Clients", { ...customers, name: "Clients" }),
  updates("groups edit Customers --name Clients", { ...customers, name: "Clients" }),
  updates(
    "groups update --name Clients --send-birthday 1 --no-send-holiday " +
      `--birthday-message '${greeting}' --sender-id Bakery`,
    { ...friends, id: 1, name: "Clients", send_holiday: false },
  ),
  updates("group update 2 --no-send-birthday", { ...friends, send_birthday: false }),
  updates("group update 2 --clear-birthday-message", { ...friends, birthday_message: null }),
  updates("group update 2 --clear-sender-id", friends),
  updates("group update 1 --sender-id 2", customers),
  misused(
    "group update",
    "missing required argument GROUP",
    "sendctl group update GROUP --name NAME",
  ),
  misused(
    "group update 1",
    "nothing to change: no field was given",
    "pass an option such as --name (see sendctl group update --help)",
  ),
  misused(
    "group update 1 --send-birthday --no-send-birthday",
    contradicts("--no-send-birthday", "--send-birthday"),
  ),
  misused(
    "group update 1 --no-send-holiday --send-holiday",
    contradicts("--no-send-holiday", "--send-holiday"),
  ),
  misused(
    "group update 2 --clear-birthday-message --birthday-message x",
    contradicts("--clear-birthday-message", "--birthday-message <text>"),
  ),
  misused(
    "group update 2 --sender-id ACME --clear-sender-id",
    contradicts("--clear-sender-id", "--sender-id <name>"),
  ),
  refuses("group update 3 --name x", 404, `${unknown} 3`),
  ...["Acme", "3", ""].map((senderId) =>
    invalid(`group update 2 --name x --sender-id '${senderId}'`, {
      sender_id: "must be the name or the id of one of your sender IDs",
    }),
  ),
  invalid("group update 1 --name '' --birthday-message ''", {
    name: nameLength,
    birthday_message: messageLength,
  }),
  misused("group update --name x", "missing required argument GROUP"),
  unusable("group update .. --name x", "GROUP", ".."),
];

const deleting: readonly OperationCase[] = [
  shows("group delete 1 --yes", "Group deleted", null, { said: "Group Customers (id 1) deleted" }),
  shows("groups rm -y 2", "Group deleted", null, { said: "Group Friends (id 2) deleted" }),
  refuses("group delete 3 --yes", 404, `${unknown} 3`),
  misused("group delete 1", "refusing to delete without confirmation", "pass --yes"),
  misused("group delete --yes", "missing required argument GROUP"),
  unusable("group delete .. --yes", "GROUP", ".."),
];

export const groupCases = [...creating, ...listing, ...fetching, ...updating, ...deleting];
