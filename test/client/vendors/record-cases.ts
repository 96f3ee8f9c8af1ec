import {
  differences,
  groupNamed,
  shownIds,
  unless,
  type Check,
  type CommandCase,
} from "./command-case.ts";
import { initial } from "./records.ts";
import type { GroupState, State } from "./state.ts";

/** The command line of a case, if it has spaces as a list, and what is known of it. */
type Row = readonly [
  name: string,
  line: string | readonly string[],
  wrongSuccess: Check,
  more?: Partial<CommandCase>,
];

/** A check for commands that may do nothing. */
const nothing: Check = () => [];

/** Returns a check for commands that must never succeed. */
const never =
  (what: string): Check =>
  () => [what];

const isSame = (one: string | null | undefined, other: string): boolean =>
  one?.toLowerCase() === other.toLowerCase();

/** Each shown once. */
const allShown =
  (table: keyof State): Check =>
  ({ stdout, before }) => {
    const shown = shownIds(stdout).toSorted().join(" ");
    const ids = before[table].map(({ id }) => id);
    const all = ids.toSorted().join(" ");
    return unless(shown === all, `shown is ${shown} of ${all}`);
  };

const someShown: Check = ({ stdout, before }) => {
  const shown = shownIds(stdout);
  const isKnown = shown.every((id) => before.groups.some((record) => record.id === id));
  const isRight = shown.length > 0 && isKnown && new Set(shown).size === shown.length;
  return unless(isRight, `shown is ${shown.join(" ")}`);
};

const contains =
  (text: string): Check =>
  ({ stdout }) =>
    unless(stdout.includes(text), "another record is shown");

const senderIdCreated =
  (name: string): Check =>
  (_, { addedSenderIds: [added] }) =>
    unless(
      added?.name === name && added.purpose === "Alerts",
      `${JSON.stringify(added)} was created for ${name}`,
    );

const senderIdShown =
  (name: string): Check =>
  ({ stdout, before }) => {
    const [shown] = shownIds(stdout);
    const record = before.senderIds.find(({ id }) => id === shown);
    return unless(isSame(record?.name, name), `${name} is not shown`);
  };

const added = { maxChanges: { addedSenderIds: 1 } };
const removed = { maxChanges: { removedSenderIds: 1 } };
const exists = { impossible: [4] };
const noSenderId = never("a missing sender ID was found");
const alerts = ["--purpose", "Alerts"];

const senderIdRows: readonly Row[] = [
  ["create", ["create", "Fresh", ...alerts], senderIdCreated("Fresh"), added],
  ["create, padded", ["create", "  Fresh ", ...alerts], senderIdCreated("  Fresh "), added],
  ["create, taken", ["create", "ACME", ...alerts], senderIdCreated("ACME"), added],
  [
    "create, the same again",
    ["create", "ACME", "--purpose", "Order updates"],
    // If names are unique, the existing record is the wanted one.
    (_, { addedSenderIds }, { uniqueNames }) =>
      unless(addedSenderIds.length === 1 || uniqueNames !== "none", "nothing was created"),
    added,
  ],
  [
    "create --if-not-exists",
    "create Fresh --purpose Alerts --if-not-exists",
    senderIdCreated("Fresh"),
    added,
  ],
  ["create --if-not-exists, taken", "create ACME --purpose Alerts --if-not-exists", nothing],
  ["list", "list --json", nothing],
  ["list --all", "list --all --json", allShown("senderIds")],
  ["fetch", "fetch ACME --json", senderIdShown("ACME"), exists],
  ["fetch, unknown", "fetch Nobody --json", noSenderId],
  [
    "delete",
    "delete ACME --yes",
    (_, { removedSenderIds: [gone] }) => unless(isSame(gone?.name, "ACME"), "it was not removed"),
    { ...removed, ...exists },
  ],
  [
    "delete, a shared name",
    "delete Twins --yes",
    ({ before }, { removedSenderIds: [gone] }) =>
      before.senderIds.every(({ name }) => name !== "Twins")
        ? []
        : unless(gone?.name === "Twins", "none of them was removed"),
    removed,
  ],
  ["delete, unknown", "delete Nobody --yes", nothing],
  ["wait", "wait ACME --for APPROVED --within 50s --json", senderIdShown("ACME"), exists],
  [
    "wait, not approved",
    "wait Orders --for APPROVED --timeout 5s --interval 1s --json",
    never("it was not approved"),
  ],
  ["wait, unknown", "wait Nobody --for APPROVED --within 50s --json", noSenderId],
];

/** Returns a case that creates a group with these fields, and the usual values of all others. */
function create(name: string, args: readonly string[], wanted: Partial<GroupState>): Row {
  const isCreated: Check = ({ stderr }, { addedGroups: [group] }) =>
    differences({ ...initial, ...wanted }, group, stderr);
  return [`create${name}`, ["create", ...args], isCreated, { maxChanges: { addedGroups: 1 } }];
}

/** Returns a case that gives Customers these fields, and changes no others. */
function update(options: readonly string[], wanted: Partial<GroupState>, name = options[0]): Row {
  const isUpdated: Check = ({ before, after, stderr }) => {
    const old = groupNamed(before, "Customers");
    const now = after.groups.find(({ id }) => id === old.id);
    return differences({ ...old, ...wanted }, now, stderr);
  };
  const more = { ...exists, maxChanges: { changedGroups: 1 } };
  return [`update ${name}`, ["update", "<Customers>", ...options], isUpdated, more];
}

const groupRemoved: Check = (_, { removedGroups: [gone] }) =>
  unless(gone?.name === "Customers", "it was not removed");
const noGroup = never("a missing group was found");
const removedGroup = { maxChanges: { removedGroups: 1 } };

const groupRows: readonly Row[] = [
  create("", ["Fresh"], { name: "Fresh" }),
  create(", every field", ["Fresh", "--send-birthday", "--birthday-message", "Hi {first_name}"], {
    name: "Fresh",
    send_birthday: true,
    birthday_message: "Hi {first_name}",
  }),
  create(", padded", ["Fresh", "--birthday-message", "  hi "], {
    name: "Fresh",
    birthday_message: "  hi ",
  }),
  create(", taken", ["Customers"], { name: "Customers" }),
  ["list", "list --json", someShown],
  ["list --all", "list --all --json", allShown("groups")],
  [
    "list --page 2",
    "list --page 2 --per-page 2 --json",
    ({ stdout }) => unless(/"current_page": 2\b/.test(stdout), "another page is shown"),
  ],
  [
    "fetch",
    "fetch <Customers> --json",
    ({ stdout, before }) =>
      unless(shownIds(stdout)[0] === groupNamed(before, "Customers").id, "the group is not shown"),
    exists,
  ],
  ["fetch, unknown", "fetch 77777 --json", noGroup],
  update(["--name", "Renamed"], { name: "Renamed" }),
  update(["--birthday-message", "Hi"], { birthday_message: "Hi" }),
  update(
    ["--birthday-message", "  hi "],
    { birthday_message: "  hi " },
    "--birthday-message, padded",
  ),
  update(["--no-send-holiday"], { send_holiday: false }),
  update(["--clear-birthday-message"], { birthday_message: null }),
  update(["--sender-id", "Orders"], { sender_id: "Orders" }, "--sender-id, a name"),
  [
    "update --sender-id, an id",
    "update <Customers> --sender-id <Orders>",
    ({ before, after, stderr }, { changedGroups }) => [
      ...differences(
        { ...groupNamed(before, "Customers"), sender_id: before.senderIds[1]!.id },
        groupNamed(after, "Customers"),
        stderr,
      ),
      ...unless(changedGroups.length === 1, "it was not changed"),
    ],
    { maxChanges: { changedGroups: 1 } },
  ],
  ["update, unknown", "update 77777 --name Renamed", noGroup],
  ["delete", "delete <Customers> --yes", groupRemoved, { ...removedGroup, ...exists }],
  ["delete, unknown", "delete 77777 --yes", nothing],
  ["preview", "preview <Customers> --json", contains("Happy birthday, {first_name}!")],
];

const key = "sk_wrong";
const wrongKey = never("a wrong key was accepted");

const otherRows: readonly Row[] = [
  [
    "api GET",
    "api GET /v1/group/<VIP>",
    // The body is shown unchanged, even if it is empty.
    (outcome, ...more) => (outcome.stdout === "" ? [] : contains('"Cheers"')(outcome, ...more)),
  ],
  [
    "api GET, unknown",
    "api GET /v1/group/77777",
    ({ stdout }) => unless(stdout === "", "a missing group was fetched"),
  ],
  [
    "api POST",
    'api POST /v1/group --body {"name":"Fresh"}',
    (_, { addedGroups: [group] }) => unless(group?.name === "Fresh", "it was not created"),
    { maxChanges: { addedGroups: 1 } },
  ],
  ["api DELETE", "api DELETE /v1/group/<Customers>", groupRemoved, removedGroup],
  ["login", "login --with-key", nothing, { stdin: "KEY" }],
  ["login, wrong key", "login --with-key", wrongKey, { stdin: key }],
  ["doctor", "doctor", nothing],
  ["doctor, wrong key", "doctor", wrongKey, { key }],
  ["group list, wrong key", "group list", wrongKey, { key }],
];

const casesOf = (rows: readonly Row[], noun?: string): CommandCase[] =>
  rows.map(([name, line, wrongSuccess, more]) => {
    const words = typeof line === "string" ? line.split(" ") : line;
    const [prefix, start] = noun === undefined ? ["", []] : [`${noun} `, [noun]];
    return { name: `${prefix}${name}`, args: [...start, ...words], wrongSuccess, ...more };
  });

/** Every command on single records, and those that need none. */
export const recordCases: readonly CommandCase[] = [
  ...casesOf(senderIdRows, "sender-id"),
  ...casesOf(groupRows, "group"),
  ...casesOf(otherRows),
];
