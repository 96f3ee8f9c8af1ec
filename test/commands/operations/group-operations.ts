import {
  invalid,
  lacks,
  misused,
  page,
  refuses,
  shows,
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
const friends = {
  ...customers,
  id: 2,
  name: "Friends",
  send_birthday: true,
  send_holiday: true,
  birthday_message: greeting,
};
const staff = { ...customers, id: 3, name: "Staff" };

/** Returns a group as in a list, with contacts_count before created_at. */
const listed = ({ created_at, ...record }: typeof customers) => ({
  ...record,
  contacts_count: 0,
  created_at,
});

const rows = `ID  Name       Contacts  Birthday  Holiday  Birthday message               Created
 2  Friends           0  yes       yes      ${greeting}  ${time}
 1  Customers         0  no        -        -                              ${time}
`;

interface Shown {
  readonly id: number;
  readonly name: string;
  readonly birthday?: string;
  readonly holiday?: string;
  readonly message?: string;
}

const table = ({ id, name, birthday = "no", holiday = "-", message = "-" }: Shown) =>
  `ID                ${id}
UUID              ${uuid}
Name              ${name}
Birthday          ${birthday}
Holiday           ${holiday}
Birthday message  ${message}
Created           ${time}
`;
const customersTable = table({ id: 1, name: "Customers" });
const friendsShown = { id: 2, name: "Friends", birthday: "yes", holiday: "yes", message: greeting };

const created = "Group created";
const retrieved = "Groups retrieved";
const updated = "Group updated";
const perPageBounds = "must be a whole number from 1 to 1000";
const nameLength = "must have 1 to 255 characters";
const messageLength = "must have 1 to 1600 characters";
const unknownSender = "must be the name or the id of one of your sender IDs";
const quotes = "quote text that contains spaces";

const creating: readonly OperationCase[] = [
  shows("create", ["group", "create", "Staff"], {
    message: created,
    data: staff,
    table: table({ id: 3, name: "Staff" }),
  }),
  shows("create with the plural noun", ["groups", "create", "Staff"], {
    message: created,
    data: staff,
    table: table({ id: 3, name: "Staff" }),
  }),
  shows("create with an existing name", ["group", "create", "Friends"], {
    message: created,
    data: { ...staff, name: "Friends" },
    table: table({ id: 3, name: "Friends" }),
  }),
  shows(
    "create with all options",
    ["group", "create", "--birthday-message", greeting, "Staff", "--send-birthday"],
    {
      message: created,
      data: { ...staff, send_birthday: true, birthday_message: greeting },
      table: table({ id: 3, name: "Staff", birthday: "yes", message: greeting }),
    },
  ),
  shows("create --no-send-birthday", ["group", "create", "Staff", "--no-send-birthday"], {
    message: created,
    data: staff,
    table: table({ id: 3, name: "Staff" }),
  }),
  misused(
    "create --send-birthday --no-send-birthday",
    ["group", "create", "Staff", "--no-send-birthday", "--send-birthday"],
    "option '--no-send-birthday' cannot be used with option '--send-birthday'",
  ),
  shows(
    "create with a message of two lines",
    ["group", "create", "Staff", "--birthday-message", "Hi\nyou\t\u001b[31m"],
    {
      message: created,
      data: { ...staff, birthday_message: "Hi\nyou\t\u001b[31m" },
      table: table({ id: 3, name: "Staff", message: String.raw`Hi\nyou\t\u001b[31m` }),
    },
  ),
  misused("create without a name", ["group", "create"], "missing required argument NAME"),
  misused(
    "create of a name without quotes",
    ["group", "create", "Old", "friends"],
    "too many arguments for 'create'. Expected 1 argument but got 2.",
    quotes,
  ),
  misused(
    "create --send-holiday, which an update sets",
    ["group", "create", "Staff", "--send-holiday"],
    "unknown option '--send-holiday'",
    "holiday messages are set with sendctl group update GROUP --send-holiday",
  ),
  misused(
    "create with an option without its value",
    ["group", "create", "Staff", "--birthday-message"],
    "option '--birthday-message <text>' argument missing",
  ),
  invalid(
    "create of an empty name",
    ["group", "create", ""],
    { name: [nameLength] },
    `name ${nameLength}`,
  ),
  invalid(
    "create of a name with leading white space",
    ["group", "create", " Staff"],
    { name: ["must not begin or end with white space"] },
    "name must not begin or end with white space",
  ),
  invalid(
    "create with an empty message",
    ["group", "create", "Staff", "--birthday-message", ""],
    { birthday_message: [messageLength] },
    `birthday_message ${messageLength}`,
  ),
  invalid(
    "create with a message of 1601 characters",
    ["group", "create", "Staff", "--birthday-message", "🎂".repeat(1601)],
    { birthday_message: [messageLength] },
    `birthday_message ${messageLength}`,
  ),
];

const listing: readonly OperationCase[] = [
  shows("list", ["group", "list"], {
    message: retrieved,
    data: page([listed(friends), listed(customers)]),
    table: rows,
    said: "",
  }),
  shows("ls --all with the plural noun", ["groups", "ls", "--all"], {
    message: retrieved,
    data: page([listed(friends), listed(customers)], { per_page: 2 }),
    table: rows,
    said: "",
  }),
  shows("list without records", ["group", "list"], {
    empty: true,
    message: retrieved,
    data: page([]),
    said: "No groups yet · create one: sendctl group create NAME",
  }),
  shows("list of the last page", ["group", "list", "--per-page", "1", "--page", "2"], {
    message: retrieved,
    data: page([listed(customers)], { current_page: 2, last_page: 2, per_page: 1, total: 2 }),
    table: `ID  Name       Contacts  Birthday  Holiday  Birthday message  Created
 1  Customers         0  no        -        -                 ${time}
`,
    said: "",
    missing: "page 2 of 2: 1 of 2 records; --all for the rest",
  }),
  invalid(
    "list --per-page 1001",
    ["group", "list", "--per-page", "1001"],
    { perPage: [perPageBounds] },
    `perPage ${perPageBounds}`,
  ),
  misused(
    "list --per-page of a word",
    ["group", "list", "--per-page", "all"],
    `invalid number "all" for --per-page`,
    "use a whole number",
  ),
  misused(
    "list --all --page",
    ["group", "list", "--page", "2", "--all"],
    "--all contradicts --page",
    "pass one of them",
  ),
];

const fetching: readonly OperationCase[] = [
  shows("fetch", ["group", "fetch", "1"], {
    message: "Group retrieved",
    said: "",
    data: customers,
    table: customersTable,
  }),
  shows("get with the plural noun", ["groups", "get", "2"], {
    message: "Group retrieved",
    said: "",
    data: friends,
    table: table(friendsShown),
  }),
  ...["3", "01", uuid, "9".repeat(40)].map((id) =>
    refuses(`fetch of ${id}`, ["group", "fetch", "--", id], {
      exitCode: 4,
      message: `Group not found: ${id}`,
    }),
  ),
  shows("fetch by name", ["group", "fetch", "Customers"], {
    message: "Group retrieved",
    said: "",
    data: customers,
    table: customersTable,
  }),
  ...["1.0", "customers", "-1", "name:1"].map((name) =>
    lacks(`fetch of the name ${name}`, ["group", "fetch", "--", name], name.replace("name:", "")),
  ),
  misused("fetch without a group", ["group", "fetch"], "missing required argument GROUP"),
  ...["", ".", ".."].map((id) =>
    misused(
      `fetch of "${id}"`,
      ["group", "fetch", id],
      `invalid GROUP "${id}"`,
      "it is part of a URL, so it cannot be empty, . or ..",
    ),
  ),
];

const otherChanges = ["--no-send-holiday", "--birthday-message", greeting, "--sender-id", "Bakery"];

const updating: readonly OperationCase[] = [
  shows("update --name", ["group", "update", "1", "--name", "Clients"], {
    message: updated,
    data: { ...customers, name: "Clients" },
    table: table({ id: 1, name: "Clients" }),
  }),
  shows(
    "update with all options and the plural noun",
    ["groups", "update", "--name", "Clients", "--send-birthday", "1", ...otherChanges],
    {
      message: updated,
      data: {
        ...customers,
        name: "Clients",
        send_birthday: true,
        send_holiday: false,
        birthday_message: greeting,
      },
      table: table({ id: 1, name: "Clients", birthday: "yes", holiday: "no", message: greeting }),
    },
  ),
  shows("update --no-send-birthday", ["group", "update", "2", "--no-send-birthday"], {
    message: updated,
    data: { ...friends, send_birthday: false },
    table: table({ ...friendsShown, birthday: "no" }),
  }),
  shows("update --clear-birthday-message", ["group", "update", "2", "--clear-birthday-message"], {
    message: updated,
    data: { ...friends, birthday_message: null },
    table: table({ ...friendsShown, message: "-" }),
  }),
  shows("update --clear-sender-id", ["group", "update", "2", "--clear-sender-id"], {
    message: updated,
    data: friends,
    table: table(friendsShown),
  }),
  shows("update --sender-id by its id", ["group", "update", "1", "--sender-id", "2"], {
    message: updated,
    data: customers,
    table: customersTable,
  }),
  misused(
    "update without options",
    ["group", "update", "1"],
    "nothing to change: no field was given",
    "pass an option such as --name (see sendctl group update --help)",
  ),
  ...[
    ["--send-birthday", "--no-send-birthday"],
    ["--no-send-holiday", "--send-holiday"],
  ].map(([one, other]) => {
    const [on, off] = one!.startsWith("--no-") ? [other, one] : [one, other];
    return misused(
      `update with ${one} and ${other}`,
      ["group", "update", "1", one!, other!],
      `option '${off}' cannot be used with option '${on}'`,
    );
  }),
  shows("edit with the plural noun", ["groups", "edit", "Customers", "--name", "Clients"], {
    message: updated,
    data: { ...customers, name: "Clients" },
    table: table({ id: 1, name: "Clients" }),
  }),
  refuses("update of an unknown group", ["group", "update", "3", "--name", "x"], {
    exitCode: 4,
    message: "Group not found: 3",
  }),
  ...["Acme", "3", ""].map((senderId) =>
    invalid(
      `update --sender-id "${senderId}"`,
      ["group", "update", "2", "--name", "x", "--sender-id", senderId],
      { sender_id: [unknownSender] },
      `sender_id ${unknownSender}`,
    ),
  ),
  invalid(
    "update to an empty name and message",
    ["group", "update", "1", "--name", "", "--birthday-message", ""],
    { name: [nameLength], birthday_message: [messageLength] },
    `name ${nameLength}; birthday_message ${messageLength}`,
  ),
  misused(
    "update without an id",
    ["group", "update", "--name", "x"],
    "missing required argument GROUP",
  ),
  misused(
    "update that sets and clears a message",
    ["group", "update", "2", "--clear-birthday-message", "--birthday-message", "x"],
    "option '--clear-birthday-message' cannot be used with option '--birthday-message <text>'",
  ),
  misused(
    "update that sets and clears a sender ID",
    ["group", "update", "2", "--sender-id", "ACME", "--clear-sender-id"],
    "option '--clear-sender-id' cannot be used with option '--sender-id <name>'",
  ),
  misused(
    "update of ..",
    ["group", "update", "..", "--name", "x"],
    'invalid GROUP ".."',
    "it is part of a URL, so it cannot be empty, . or ..",
  ),
];

const deleting: readonly OperationCase[] = [
  shows("delete --yes", ["group", "delete", "1", "--yes"], {
    message: "Group deleted",
    data: null,
  }),
  shows("rm -y with the plural noun", ["groups", "rm", "-y", "2"], {
    message: "Group deleted",
    data: null,
  }),
  refuses("delete of an unknown group", ["group", "delete", "3", "--yes"], {
    exitCode: 4,
    message: "Group not found: 3",
  }),
  misused(
    "delete without --yes",
    ["group", "delete", "1"],
    "refusing to delete without confirmation",
    "pass --yes",
  ),
  misused("delete without an id", ["group", "delete", "--yes"], "missing required argument GROUP"),
  misused(
    "delete of ..",
    ["group", "delete", "..", "--yes"],
    'invalid GROUP ".."',
    "it is part of a URL, so it cannot be empty, . or ..",
  ),
];

export const groupCases = [...creating, ...listing, ...fetching, ...updating, ...deleting];
