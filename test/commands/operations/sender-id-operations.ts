import {
  invalid,
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
import { time } from "../../support/home.ts";

const createExample = 'sendctl sender-id create ACME --purpose "Order updates"';

/** Command lines that create the sender IDs of the stocked database. */
export const stockedSenderIds = [
  ["sender-id", "create", "ACME", "--purpose", "Order updates"],
  ["sender-id", "create", "Bakery", "--purpose", "Offers"],
];

const record = (id: number, name: string, purpose: string) => ({
  id,
  name,
  purpose,
  status: "PENDING",
  created_at: time,
});
type SenderId = ReturnType<typeof record>;
const acme = record(1, "ACME", "Order updates");
const bakery = record(2, "Bakery", "Offers");

const tableOf = ({ id, name, purpose }: SenderId) => `ID       ${id}
Name     ${name}
Purpose  ${onOneLine(purpose)}
Status   PENDING
Created  ${time}
`;

const rows = `ID  Name    Purpose        Status   Created
 2  Bakery  Offers         PENDING  ${time}
 1  ACME    Order updates  PENDING  ${time}
`;

/** A case that creates a sender ID. */
function creates(line: string, name: string, purpose = "Lunch", warning?: string): OperationCase {
  const created = record(3, name, purpose);
  const warned = warning === undefined ? {} : { warning };
  const said = `Sender ID ${created.name} created`;
  return shows(line, "Sender Id created", created, { table: tableOf(created), said, ...warned });
}

const retrieved = "Sender Ids retrieved";
const all = { table: rows, said: "" };
const none = 'No sender IDs yet · create one: sendctl sender-id create NAME --purpose "…"';
const carriers =
  "carriers may refuse this name: they accept up to 11 letters, digits and spaces, without accents";
const purposeLength = "must have 1 to 1000 characters";
const control = "must not contain control characters";
const unknown = "Sender ID not found:";

const creating: readonly OperationCase[] = [
  creates("sender-id create Diner --purpose Lunch", "Diner"),
  creates("sender-id create --purpose=Lunch Diner", "Diner"),
  creates("sender-ids create Diner --purpose Lunch", "Diner"),
  creates("sender-id create Café --purpose Coffee", "Café", "Coffee", carriers),
  creates("sender-id create Restaurateur --purpose Lunch", "Restaurateur", "Lunch", carriers),
  creates("sender-id create Hamburgerei --purpose Lunch", "Hamburgerei"),
  creates("sender-id create X --purpose 'a\n\tb'", "X", "a\n\tb"),
  creates("sender-id create Acme --purpose Lunch", "Acme"),
  creates("sender-id create Diner --purpose Lunch --if-not-exists", "Diner"),
  shows(
    "sender-id create ACME --purpose 'Order updates' --if-not-exists",
    "Sender retrieved",
    acme,
    { table: tableOf(acme), said: "Sender ID ACME already exists" },
  ),
  shows("sender-id create --if-not-exists ACME --purpose Offers", "Sender retrieved", acme, {
    table: tableOf(acme),
    said: "Sender ID ACME already exists",
    warning: "the sender ID already exists with another purpose, which was not changed",
  }),
  refuses("sender-id create ACME --purpose x", 409, "Sender ID already exists: ACME", {
    errors: { name: ["is taken"] },
    hint: "to accept the existing sender ID, pass --if-not-exists",
  }),
  misused("sender-id create --purpose Lunch", "missing required argument NAME", createExample),
  misused("sender-id create Diner", "missing required option --purpose TEXT", createExample),
  misused(
    "sender-id create Diner --purpose",
    "option --purpose <text> requires a value",
    "see sendctl sender-id create --help",
  ),
  misused(
    "sender-id create My Diner --purpose Lunch",
    "sender-id create takes 1 argument, not 2",
    quotesHint,
  ),
  misused(
    "sender-id create Diner --purpose Lunch --send-birthday",
    "unknown option '--send-birthday'",
    "see sendctl sender-id create --help",
  ),
  invalid("sender-id create '' --purpose ''", { name: nameLength, purpose: purposeLength }),
  invalid(`sender-id create ${"x".repeat(256)} --purpose Lunch`, { name: nameLength }),
  invalid(`sender-id create Diner --purpose ${"x".repeat(1001)}`, { purpose: purposeLength }),
  invalid("sender-id create \u001b[2J --purpose \u001b[2J", {
    name: control,
    purpose: `${control} but newline and tab`,
  }),
];

const listing: readonly OperationCase[] = [
  shows("sender-id list", retrieved, page([bakery, acme]), all),
  shows("sender-ids ls", retrieved, page([bakery, acme]), all),
  shows("sender-id list --all", retrieved, page([bakery, acme], { per_page: 2 }), all),
  shows("sender-id list --all --per-page 1", retrieved, page([bakery, acme], { per_page: 2 }), all),
  shows("sender-id list", retrieved, page([]), { empty: true, said: none }),
  shows("sender-id list --all", retrieved, page([], { per_page: 0 }), { empty: true, said: none }),
  shows(
    "sender-id list --per-page 1",
    retrieved,
    page([bakery], { last_page: 2, per_page: 1, total: 2 }),
    {
      table: `ID  Name    Purpose  Status   Created\n 2  Bakery  Offers   PENDING  ${time}\n`,
      said: "",
      missing: "1 of 2 records; --all for the rest",
    },
  ),
  shows(
    "sender-id list --page=2 --per-page=1",
    retrieved,
    page([acme], { current_page: 2, last_page: 2, per_page: 1, total: 2 }),
    {
      table: `ID  Name  Purpose        Status   Created\n 1  ACME  Order updates  PENDING  ${time}\n`,
      said: "",
      missing: "page 2 of 2: 1 of 2 records; --all for the rest",
    },
  ),
  ...["0", "1001", "-1", "999999999999999", "0 --all"].map((perPage) =>
    invalid(`sender-id list --per-page ${perPage}`, { perPage: perPageBounds }),
  ),
  invalid("sender-id list --page 0", { page: "must be a whole number from 1" }),
  ...["", "many", "1.5", "1e2", "0x10", " 1", "99999999999999999999"].map((text) =>
    misused(
      `sender-id list --per-page '${text}'`,
      `invalid number "${text}" for --per-page`,
      "use a whole number",
    ),
  ),
  misused("sender-id list --page last", 'invalid number "last" for --page', "use a whole number"),
  misused("sender-id list --all --page 1", "--all conflicts with --page", "pass one of them"),
  misused(
    "sender-id list ACME",
    "sender-id list takes no name; to search: --search ACME",
    "see sendctl sender-id list --help",
  ),
];

const fetching: readonly OperationCase[] = [
  ...["sender-id fetch ACME", "sender-ids get ACME"].map((line) =>
    shows(line, "Sender retrieved", acme, { table: tableOf(acme), said: "" }),
  ),
  ...["acme", "1"].map((name) => refuses(`sender-id fetch ${name}`, 404, `${unknown} ${name}`)),
  misused("sender-id fetch", "missing required argument NAME"),
  ...["", ".", ".."].map((name) => unusable(`sender-id fetch '${name}'`, "NAME", name)),
];

const deleting: readonly OperationCase[] = [
  shows("sender-id delete ACME --yes", "Sender deleted", null, { said: "Sender ID ACME deleted" }),
  shows("sender-ids rm -y ACME", "Sender deleted", null, { said: "Sender ID ACME deleted" }),
  refuses("sender-id delete acme --yes", 404, `${unknown} acme`),
  misused("sender-id delete ACME", "refusing to delete without confirmation", "pass --yes"),
  misused("sender-id delete -y", "missing required argument NAME"),
  ...["", ".", ".."].map((name) => unusable(`sender-id delete '${name}' --yes`, "NAME", name)),
];

export const senderIdCases = [...creating, ...listing, ...fetching, ...deleting];
