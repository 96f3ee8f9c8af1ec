import {
  alwaysWrong,
  differences,
  groupNamed,
  notAll,
  notSome,
  shownIds,
  unless,
  type CommandCase,
} from "./command-case.ts";
import type { Delta, GroupState, State } from "./state.ts";
import type { Switches } from "./switches.ts";
import type { Outcome } from "./try-command.ts";

const unknownId = "77777";

const fresh = { send_birthday: false, send_holiday: null, birthday_message: null };

function isCreated(wanted: Partial<GroupState>) {
  return ({ stderr }: Outcome, { addedGroups }: Delta): string[] =>
    differences({ ...fresh, ...wanted }, addedGroups[0], stderr);
}

/** Checks that a group has these fields after success, and that its other fields are unchanged. */
function isUpdated(name: string, wanted: Partial<GroupState>) {
  return ({ before, after, stderr }: Outcome): string[] => {
    const old = groupNamed(before, name);
    const now = after.groups.find(({ id }) => id === old.id);
    return differences({ ...old, ...wanted }, now, stderr);
  };
}

function create(name: string, args: readonly string[], wanted: Partial<GroupState>): CommandCase {
  return {
    name,
    args: () => ["group", "create", ...args],
    maxChanges: { addedGroups: 1 },
    wrongSuccess: isCreated(wanted),
  };
}

function update(name: string, args: readonly string[], wanted: Partial<GroupState>): CommandCase {
  return {
    name,
    args: (before) => ["group", "update", groupNamed(before, "Customers").id, ...args],
    impossible: [4],
    maxChanges: { changedGroups: 1 },
    wrongSuccess: isUpdated("Customers", wanted),
  };
}

function read(
  name: string,
  args: (before: State, switches: Switches) => readonly string[],
): CommandCase {
  return {
    name,
    args,
    impossible: [4],
    wrongSuccess: ({ stdout, before }) =>
      unless(shownIds(stdout)[0] === groupNamed(before, "Customers").id, "the group is not shown"),
  };
}

export const groupCases: readonly CommandCase[] = [
  create("group create", ["Fresh"], { name: "Fresh" }),
  create(
    "group create, every field",
    ["Fresh", "--send-birthday", "--birthday-message", "Hi {first_name}"],
    { name: "Fresh", send_birthday: true, birthday_message: "Hi {first_name}" },
  ),
  create("group create, padded", ["Fresh", "--birthday-message", "  hi "], {
    name: "Fresh",
    birthday_message: "  hi ",
  }),
  create("group create, taken", ["Customers"], { name: "Customers" }),
  {
    name: "group list",
    args: () => ["group", "list", "--json"],
    wrongSuccess: ({ stdout, before }) => notSome(stdout, before.groups),
  },
  {
    name: "group list --all",
    args: () => ["group", "list", "--all", "--json"],
    wrongSuccess: ({ stdout, before }) => notAll(stdout, before.groups),
  },
  {
    name: "group list --page 2",
    args: () => ["group", "list", "--page", "2", "--per-page", "2", "--json"],
    wrongSuccess: ({ stdout }) =>
      unless(/"current_page": 2\b/.test(stdout), "another page is shown"),
  },
  read("group fetch", (before) => ["group", "fetch", groupNamed(before, "Customers").id, "--json"]),
  {
    name: "group fetch, unknown",
    args: () => ["group", "fetch", unknownId, "--json"],
    wrongSuccess: alwaysWrong("a missing group was fetched"),
  },
  update("group update --name", ["--name", "Renamed"], { name: "Renamed" }),
  update("group update --birthday-message", ["--birthday-message", "Hi"], {
    birthday_message: "Hi",
  }),
  update("group update --birthday-message, padded", ["--birthday-message", "  hi "], {
    birthday_message: "  hi ",
  }),
  update("group update --no-send-holiday", ["--no-send-holiday"], { send_holiday: false }),
  update("group update --clear-birthday-message", ["--clear-birthday-message"], {
    birthday_message: null,
  }),
  update("group update --sender-id, a name", ["--sender-id", "Orders"], { sender_id: "Orders" }),
  {
    name: "group update --sender-id, an id",
    args: ({ groups, senderIds }) => [
      "group",
      "update",
      groupNamed({ groups, senderIds }, "Customers").id,
      "--sender-id",
      senderIds[1]!.id,
    ],
    maxChanges: { changedGroups: 1 },
    wrongSuccess: (outcome, delta) => {
      const sender_id = outcome.before.senderIds[1]!.id;
      const wrong = isUpdated("Customers", { sender_id })(outcome);
      return [...wrong, ...unless(delta.changedGroups.length === 1, "it was not changed")];
    },
  },
  {
    name: "group update, unknown",
    args: () => ["group", "update", unknownId, "--name", "Renamed"],
    wrongSuccess: alwaysWrong("a missing group was updated"),
  },
  {
    name: "group delete",
    args: (before) => ["group", "delete", groupNamed(before, "Customers").id, "--yes"],
    impossible: [4],
    maxChanges: { removedGroups: 1 },
    wrongSuccess: (_, { removedGroups }) =>
      unless(removedGroups[0]?.name === "Customers", "it was not removed"),
  },
  {
    name: "group delete, unknown",
    args: () => ["group", "delete", unknownId, "--yes"],
    wrongSuccess: () => [],
  },
  {
    name: "group preview",
    args: (before) => ["group", "preview", groupNamed(before, "Customers").id, "--json"],
    wrongSuccess: ({ stdout }) =>
      unless(stdout.includes("Happy birthday, {first_name}!"), "another message is shown"),
  },
];
