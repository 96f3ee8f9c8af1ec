import { differences, groupNamed, unless, type CommandCase } from "./command-case.ts";
import type { GroupState, State } from "./state.ts";
import type { Switches } from "./switches.ts";
import type { Outcome } from "./try-command.ts";

interface Manifest {
  readonly sender_ids: readonly { readonly name: string; readonly purpose: string }[];
  readonly groups: readonly (Partial<GroupState> & { readonly name: string })[];
}

/** Groups that the manifest adds: 30 with the two existing ones. */
const newGroups = 28;

/** Returns a manifest that changes two groups, and adds a sender ID and groups. */
function changingManifest({ senderIds }: State, { senderIdIs }: Switches): Manifest {
  const { id, name } = senderIds[0]!;
  const sender_id = senderIdIs === "an id" ? id : name!;
  const more = Array.from({ length: newGroups }, (_, index) => ({
    name: `New ${index + 1}`,
    send_birthday: index % 2 === 0,
    ...(index % 5 === 0 ? { send_holiday: true } : {}),
    ...(index % 3 === 0 ? { birthday_message: `Hi from ${index + 1}` } : {}),
    ...(index % 7 === 0 ? { sender_id } : {}),
  }));
  return {
    sender_ids: [
      { name: "ACME", purpose: "Order updates" },
      { name: "Fresh", purpose: "Alerts" },
    ],
    groups: [
      { name: "Customers", birthday_message: "Many happy returns" },
      { name: "Group 1", send_holiday: true },
      ...more,
    ],
  };
}

function isAlone<Row extends { readonly name: string | null }>(
  row: Row,
  _: number,
  rows: readonly Row[],
): boolean {
  return rows.filter(({ name }) => name === row.name).length === 1;
}

/** Returns the manifest of the current records, without those that share a name. */
function sameManifest({ senderIds, groups }: State): Manifest {
  return {
    sender_ids: senderIds
      .filter(isAlone)
      .map(({ name, purpose }) => ({ name: name!, purpose: purpose! })),
    groups: groups.filter(isAlone).map(({ name, send_birthday, birthday_message }) => ({
      name: name!,
      send_birthday,
      birthday_message,
    })),
  };
}

function wrongAfterApply(wanted: Manifest, { before, after, stderr }: Outcome): string[] {
  const senderIds = wanted.sender_ids.flatMap(({ name, purpose }) =>
    unless(
      after.senderIds.filter((one) => one.name === name && one.purpose === purpose).length === 1,
      `sender ID ${name} does not exist exactly once`,
    ),
  );
  const groups = wanted.groups.flatMap((group) => {
    const found = after.groups.filter(({ name }) => name === group.name);
    if (found.length !== 1) return [`${found.length} groups are called ${group.name}`];
    const old = before.groups.find(({ id }) => id === found[0]!.id);
    return differences({ ...old, ...group }, found[0], stderr).map(
      (text) => `${group.name}: ${text}`,
    );
  });
  const named = new Set(wanted.groups.map(({ name }) => name));
  const others = before.groups.filter(({ name }) => !named.has(name!));
  const unchanged = others.flatMap((group) =>
    differences(
      group,
      after.groups.find(({ id }) => id === group.id),
      "",
    ).map((text) => `${group.name}, which is not in the manifest: ${text}`),
  );
  return [...senderIds, ...groups, ...unchanged];
}

const apply = ["apply", "-f", "manifest.json", "--yes", "--json"];
const diff = ["diff", "-f", "manifest.json", "--json"];

export const manifestCases: readonly CommandCase[] = [
  {
    name: "apply",
    args: apply,
    manifest: changingManifest,
    maxChanges: { addedSenderIds: 1, addedGroups: newGroups, changedGroups: 2 },
    isPlan: true,
    wrongSuccess: (outcome) => wrongAfterApply(outcome.manifest as Manifest, outcome),
  },
  {
    name: "apply, nothing to change",
    args: apply,
    manifest: sameManifest,
    impossible: [12],
    wrongSuccess: ({ requests }) =>
      unless(
        requests.every(({ method }) => method === "GET"),
        "a write was sent",
      ),
  },
  {
    name: "diff, nothing to change",
    args: diff,
    manifest: sameManifest,
    impossible: [12],
    wrongSuccess: () => [],
  },
  {
    name: "diff",
    args: diff,
    manifest: changingManifest,
    wrongSuccess: () => ["differences were not found"],
  },
  {
    name: "export",
    args: ["export", "--json"],
    wrongSuccess: ({ stdout, stderr, before }) => {
      const exported = JSON.parse(stdout) as Manifest;
      const isReported = stderr !== "" && hasNamesakes(before);
      const { length } = before.groups;
      return [
        ...unless(
          isReported || exported.sender_ids.length === before.senderIds.length,
          `${exported.sender_ids.length} of ${before.senderIds.length} sender IDs are exported`,
        ),
        ...unless(
          !hasNamesakes(before) || isReported,
          "sender IDs that share a name are exported without a warning",
        ),
        ...unless(
          isReported || exported.groups.length === length,
          `${length} groups are not exported`,
        ),
        ...exported.groups
          .filter(({ name }) => name === "Customers")
          .flatMap(({ sender_id: name, ...group }) => {
            const stored = groupNamed(before, "Customers");
            const used = before.senderIds.find((senderId) => senderId.name === name);
            const names: readonly unknown[] = [used?.name ?? name, used?.id];
            return [
              ...differences(group, stored, stderr),
              ...unless(
                name === undefined || names.includes(stored.sender_id),
                `sender_id is exported as ${name}`,
              ),
            ];
          }),
      ];
    },
  },
];

function hasNamesakes({ senderIds }: State): boolean {
  return new Set(senderIds.map(({ name }) => name)).size < senderIds.length;
}
