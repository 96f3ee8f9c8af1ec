import { invalid, misused, page, refuses, shows, type OperationCase } from "./operation-case.ts";
import { time } from "../../support/home.ts";

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
const acme = record(1, "ACME", "Order updates");
const bakery = record(2, "Bakery", "Offers");

const heading = "ID  Name    Purpose        Status   Created\n";
const acmeRow = ` 1  ACME    Order updates  PENDING  ${time}\n`;
const bakeryRow = ` 2  Bakery  Offers         PENDING  ${time}\n`;

const acmeTable = `ID       1
Name     ACME
Purpose  Order updates
Status   PENDING
Created  ${time}
`;

const cafeTable = `ID       3
Name     Café
Purpose  Coffee
Status   PENDING
Created  ${time}
`;

const dinerTable = `ID       3
Name     Diner
Purpose  Lunch
Status   PENDING
Created  ${time}
`;

const created = "Sender Id created";
const retrieved = "Sender Ids retrieved";
const carriers =
  "carriers may refuse this name: they accept up to 11 letters, digits and spaces, without accents";
const acmeTaken = "Sender ID already exists: ACME";
const acmeTakenErrors = { name: ["is taken"] };
const nameLength = "must have 1 to 255 characters";
const purposeLength = "must have 1 to 1000 characters";
const perPageBounds = "must be a whole number from 1 to 1000";
const pageBounds = "must be a whole number from 1";
const quotes = "quote text that contains spaces";
const diner = ["--purpose", "Lunch"];

const creating: readonly OperationCase[] = [
  shows("create", ["sender-id", "create", "Diner", "--purpose", "Lunch"], {
    message: created,
    data: record(3, "Diner", "Lunch"),
    table: dinerTable,
  }),
  shows("create with the option first", ["sender-id", "create", "--purpose=Lunch", "Diner"], {
    message: created,
    data: record(3, "Diner", "Lunch"),
    table: dinerTable,
  }),
  shows("create with the plural noun", ["sender-ids", "create", "Diner", "--purpose", "Lunch"], {
    message: created,
    data: record(3, "Diner", "Lunch"),
    table: dinerTable,
  }),
  shows("create with an accent", ["sender-id", "create", "Café", "--purpose", "Coffee"], {
    message: created,
    data: record(3, "Café", "Coffee"),
    table: cafeTable,
    warning: carriers,
  }),
  shows("create with 12 letters", ["sender-id", "create", "Restaurateur", ...diner], {
    message: created,
    data: record(3, "Restaurateur", "Lunch"),
    table: dinerTable.replace("Diner", "Restaurateur"),
    warning: carriers,
  }),
  shows("create with 11 letters", ["sender-id", "create", "Hamburgerei", ...diner], {
    message: created,
    data: record(3, "Hamburgerei", "Lunch"),
    table: dinerTable.replace("Diner", "Hamburgerei"),
  }),
  shows("create with a purpose of two lines", ["sender-id", "create", "X", "--purpose", "a\n\tb"], {
    message: created,
    data: record(3, "X", "a\n\tb"),
    table: dinerTable.replace("Diner", "X").replace("Lunch", String.raw`a\n\tb`),
  }),
  shows(
    "create --if-not-exists of a new sender ID",
    ["sender-id", "create", "Diner", ...diner, "--if-not-exists"],
    { message: created, data: record(3, "Diner", "Lunch"), table: dinerTable },
  ),
  shows(
    "create --if-not-exists of an existing sender ID",
    ["sender-id", "create", "ACME", "--purpose", "Order updates", "--if-not-exists"],
    { message: "Sender retrieved", data: acme, table: acmeTable },
  ),
  shows(
    "create --if-not-exists with another purpose",
    ["sender-id", "create", "--if-not-exists", "ACME", "--purpose", "Offers"],
    {
      message: "Sender retrieved",
      data: acme,
      table: acmeTable,
      warning: "the sender ID already exists with another purpose, which was not changed",
    },
  ),
  refuses("create of a taken name", ["sender-id", "create", "ACME", "--purpose", "x"], {
    exitCode: 5,
    message: acmeTaken,
    errors: acmeTakenErrors,
    hint: "to accept the existing sender ID, pass --if-not-exists",
  }),
  shows(
    "create of a taken name in another case",
    ["sender-id", "create", "Acme", "--purpose", "Order updates"],
    {
      message: created,
      data: record(3, "Acme", "Order updates"),
      table: acmeTable.replace("1", "3").replace("ACME", "Acme"),
    },
  ),
  misused(
    "create without a name",
    ["sender-id", "create", ...diner],
    "missing required argument NAME",
  ),
  misused(
    "create without a purpose",
    ["sender-id", "create", "Diner"],
    "missing required option --purpose TEXT",
  ),
  misused(
    "create with an option without its value",
    ["sender-id", "create", "Diner", "--purpose"],
    "option '--purpose <text>' argument missing",
  ),
  misused(
    "create of a name without quotes",
    ["sender-id", "create", "My", "Diner", ...diner],
    "too many arguments for 'create'. Expected 1 argument but got 2.",
    quotes,
  ),
  misused(
    "create with a group's option",
    ["sender-id", "create", "Diner", ...diner, "--send-birthday"],
    "unknown option '--send-birthday'",
    "see sendctl sender-id create --help",
  ),
  invalid(
    "create of an empty name and purpose",
    ["sender-id", "create", "", "--purpose", ""],
    { name: [nameLength], purpose: [purposeLength] },
    `name ${nameLength}; purpose ${purposeLength}`,
  ),
  invalid(
    "create of 256 characters",
    ["sender-id", "create", "x".repeat(256), ...diner],
    { name: [nameLength] },
    `name ${nameLength}`,
  ),
  invalid(
    "create with a purpose of 1001 characters",
    ["sender-id", "create", "Diner", "--purpose", "x".repeat(1001)],
    { purpose: [purposeLength] },
    `purpose ${purposeLength}`,
  ),
  invalid(
    "create with an escape sequence",
    ["sender-id", "create", "\u001b[2J", "--purpose", "\u001b[2J"],
    {
      name: ["must not contain control characters"],
      purpose: ["must not contain control characters but newline and tab"],
    },
    "name must not contain control characters; " +
      "purpose must not contain control characters but newline and tab",
  ),
];

const listing: readonly OperationCase[] = [
  shows("list", ["sender-id", "list"], {
    message: retrieved,
    data: page([bakery, acme]),
    table: heading + bakeryRow + acmeRow,
    said: "",
  }),
  shows("ls with the plural noun", ["sender-ids", "ls"], {
    message: retrieved,
    data: page([bakery, acme]),
    table: heading + bakeryRow + acmeRow,
    said: "",
  }),
  shows("list without records", ["sender-id", "list"], {
    empty: true,
    message: retrieved,
    data: page([]),
    said: 'No sender IDs yet · create one: sendctl sender-id create NAME --purpose "…"',
  }),
  shows("list --all without records", ["sender-id", "list", "--all"], {
    empty: true,
    message: retrieved,
    data: page([], { per_page: 0 }),
    said: 'No sender IDs yet · create one: sendctl sender-id create NAME --purpose "…"',
  }),
  shows("list --per-page", ["sender-id", "list", "--per-page", "1"], {
    message: retrieved,
    data: page([bakery], { last_page: 2, per_page: 1, total: 2 }),
    table: `ID  Name    Purpose  Status   Created\n 2  Bakery  Offers   PENDING  ${time}\n`,
    said: "",
    missing: "1 of 2 records; --all for the rest",
  }),
  shows("list --page", ["sender-id", "list", "--page=2", "--per-page=1"], {
    message: retrieved,
    data: page([acme], { current_page: 2, last_page: 2, per_page: 1, total: 2 }),
    table: `ID  Name  Purpose        Status   Created\n 1  ACME  Order updates  PENDING  ${time}\n`,
    said: "",
    missing: "page 2 of 2: 1 of 2 records; --all for the rest",
  }),
  shows("list --all", ["sender-id", "list", "--all"], {
    message: retrieved,
    data: page([bakery, acme], { per_page: 2 }),
    table: heading + bakeryRow + acmeRow,
    said: "",
  }),
  shows("list --all --per-page", ["sender-id", "list", "--all", "--per-page", "1"], {
    message: retrieved,
    data: page([bakery, acme], { per_page: 2 }),
    table: heading + bakeryRow + acmeRow,
    said: "",
  }),
  ...["0", "1001", "-1", "999999999999999"].map((perPage) =>
    invalid(
      `list --per-page ${perPage}`,
      ["sender-id", "list", "--per-page", perPage],
      { perPage: [perPageBounds] },
      `perPage ${perPageBounds}`,
    ),
  ),
  invalid(
    "list --all --per-page 0",
    ["sender-id", "list", "--all", "--per-page", "0"],
    { perPage: [perPageBounds] },
    `perPage ${perPageBounds}`,
  ),
  invalid(
    "list --page 0",
    ["sender-id", "list", "--page", "0"],
    { page: [pageBounds] },
    `page ${pageBounds}`,
  ),
  ...["", "many", "1.5", "1e2", "0x10", " 1", "99999999999999999999"].map((text) =>
    misused(
      `list --per-page "${text}"`,
      ["sender-id", "list", "--per-page", text],
      `invalid number "${text}" for --per-page`,
      "use a whole number",
    ),
  ),
  misused(
    "list --page of a word",
    ["sender-id", "list", "--page", "last"],
    `invalid number "last" for --page`,
    "use a whole number",
  ),
  misused(
    "list --all --page",
    ["sender-id", "list", "--all", "--page", "1"],
    "--all contradicts --page",
    "pass one of them",
  ),
  misused(
    "list with an argument",
    ["sender-id", "list", "ACME"],
    "too many arguments for 'list'. Expected 0 arguments but got 1.",
    "see sendctl sender-id list --help",
  ),
];

const fetching: readonly OperationCase[] = [
  shows("fetch", ["sender-id", "fetch", "ACME"], {
    message: "Sender retrieved",
    said: "",
    data: acme,
    table: acmeTable,
  }),
  shows("get with the plural noun", ["sender-ids", "get", "ACME"], {
    message: "Sender retrieved",
    said: "",
    data: acme,
    table: acmeTable,
  }),
  refuses("fetch in another case", ["sender-id", "fetch", "acme"], {
    exitCode: 4,
    message: "Sender ID not found: acme",
  }),
  refuses("fetch by id instead of name", ["sender-id", "fetch", "1"], {
    exitCode: 4,
    message: "Sender ID not found: 1",
  }),
  misused("fetch without a name", ["sender-id", "fetch"], "missing required argument NAME"),
  ...["", ".", ".."].map((name) =>
    misused(
      `fetch of "${name}"`,
      ["sender-id", "fetch", name],
      `invalid NAME "${name}"`,
      "it is part of a URL, so it cannot be empty, . or ..",
    ),
  ),
];

const deleting: readonly OperationCase[] = [
  shows("delete --yes", ["sender-id", "delete", "ACME", "--yes"], {
    message: "Sender deleted",
    data: null,
  }),
  shows("rm -y with the plural noun", ["sender-ids", "rm", "-y", "ACME"], {
    message: "Sender deleted",
    data: null,
  }),
  refuses("delete of an unknown sender ID", ["sender-id", "delete", "acme", "--yes"], {
    exitCode: 4,
    message: "Sender ID not found: acme",
  }),
  misused(
    "delete without --yes",
    ["sender-id", "delete", "ACME"],
    "refusing to delete without confirmation",
    "pass --yes",
  ),
  misused("delete without a name", ["sender-id", "delete", "-y"], "missing required argument NAME"),
  ...["", ".", ".."].map((name) =>
    misused(
      `delete of "${name}"`,
      ["sender-id", "delete", name, "--yes"],
      `invalid NAME "${name}"`,
      "it is part of a URL, so it cannot be empty, . or ..",
    ),
  ),
];

export const senderIdCases = [...creating, ...listing, ...fetching, ...deleting];
