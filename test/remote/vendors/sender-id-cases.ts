import { alwaysWrong, notAll, shownIds, unless, type CommandCase } from "./command-case.ts";
import type { Delta } from "./state.ts";
import type { Outcome } from "./try-command.ts";

const create = (name: string, ...more: string[]) => [
  "sender-id",
  "create",
  name,
  "--purpose",
  "Alerts",
  ...more,
];

function isCreated(name: string) {
  return (_: Outcome, { addedSenderIds }: Delta): string[] => {
    const [added] = addedSenderIds;
    const isRight = added?.name === name && added.purpose === "Alerts";
    return unless(isRight, `${JSON.stringify(added)} was created for ${name}`);
  };
}

const removeOne = { removedSenderIds: 1 };

function isRemoved(name: string) {
  return (_: Outcome, { removedSenderIds }: Delta): string[] =>
    unless(
      removedSenderIds[0]?.name?.toLowerCase() === name.toLowerCase(),
      `${name} was not removed`,
    );
}

function isShown(name: string) {
  return ({ stdout, before }: Outcome): string[] => {
    const [shown] = shownIds(stdout);
    const record = before.senderIds.find(({ id }) => id === shown);
    return unless(record?.name?.toLowerCase() === name.toLowerCase(), `${name} is not shown`);
  };
}

export const senderIdCases: readonly CommandCase[] = [
  {
    name: "sender-id create",
    args: () => create("Fresh"),
    maxChanges: { addedSenderIds: 1 },
    wrongSuccess: isCreated("Fresh"),
  },
  {
    name: "sender-id create, padded",
    args: () => create("  Fresh "),
    maxChanges: { addedSenderIds: 1 },
    wrongSuccess: isCreated("  Fresh "),
  },
  {
    name: "sender-id create, taken",
    args: () => create("ACME"),
    maxChanges: { addedSenderIds: 1 },
    wrongSuccess: isCreated("ACME"),
  },
  {
    name: "sender-id create, the same again",
    args: () => ["sender-id", "create", "ACME", "--purpose", "Order updates"],
    maxChanges: { addedSenderIds: 1 },
    // If names are unique, the existing record is the wanted one.
    wrongSuccess: (_, { addedSenderIds }, { uniqueNames }) =>
      unless(addedSenderIds.length === 1 || uniqueNames !== "none", "nothing was created"),
  },
  {
    name: "sender-id create --if-not-exists",
    args: () => create("Fresh", "--if-not-exists"),
    maxChanges: { addedSenderIds: 1 },
    wrongSuccess: isCreated("Fresh"),
  },
  {
    name: "sender-id create --if-not-exists, taken",
    args: () => create("ACME", "--if-not-exists"),
    wrongSuccess: () => [],
  },
  {
    name: "sender-id list",
    args: () => ["sender-id", "list", "--json"],
    wrongSuccess: () => [],
  },
  {
    name: "sender-id list --all",
    args: () => ["sender-id", "list", "--all", "--json"],
    wrongSuccess: ({ stdout, before }) => notAll(stdout, before.senderIds),
  },
  {
    name: "sender-id fetch",
    args: () => ["sender-id", "fetch", "ACME", "--json"],
    impossible: [4],
    wrongSuccess: isShown("ACME"),
  },
  {
    name: "sender-id fetch, unknown",
    args: () => ["sender-id", "fetch", "Nobody", "--json"],
    wrongSuccess: alwaysWrong("a missing sender ID was fetched"),
  },
  {
    name: "sender-id delete",
    args: () => ["sender-id", "delete", "ACME", "--yes"],
    impossible: [4],
    maxChanges: removeOne,
    wrongSuccess: isRemoved("ACME"),
  },
  {
    name: "sender-id delete, a shared name",
    args: () => ["sender-id", "delete", "Twins", "--yes"],
    maxChanges: removeOne,
    wrongSuccess: ({ before }, { removedSenderIds }) =>
      before.senderIds.every(({ name }) => name !== "Twins")
        ? []
        : unless(removedSenderIds[0]?.name === "Twins", "none of them was removed"),
  },
  {
    name: "sender-id delete, unknown",
    args: () => ["sender-id", "delete", "Nobody", "--yes"],
    wrongSuccess: () => [],
  },
  {
    name: "sender-id wait",
    args: () => ["sender-id", "wait", "ACME", "--for", "APPROVED", "--json"],
    impossible: [4],
    wrongSuccess: isShown("ACME"),
  },
  {
    name: "sender-id wait, not approved",
    args: () => "sender-id wait Orders --for APPROVED --timeout 5s --interval 1s --json".split(" "),
    wrongSuccess: alwaysWrong("it was not approved"),
  },
  {
    name: "sender-id wait, unknown",
    args: () => ["sender-id", "wait", "Nobody", "--for", "APPROVED", "--json"],
    wrongSuccess: alwaysWrong("a missing sender ID was approved"),
  },
];
