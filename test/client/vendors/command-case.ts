import type { Seed } from "./records.ts";
import type { Delta, GroupState, State } from "./state.ts";
import type { Switches } from "./switches.ts";
import type { Outcome } from "./try-command.ts";

/** Returns the problems of a success; empty if it is correct. */
export type Check = (outcome: Outcome, delta: Delta, switches: Switches) => readonly string[];

/** A command, the changes that it may make, and the check of its success. */
export interface CommandCase {
  readonly name: string;
  /** The words of the command line, in which `<NAME>` stands for the id of the record with this name. */
  readonly args: readonly string[];
  readonly manifest?: (before: State, switches: Switches) => object;
  readonly stdin?: string;
  readonly key?: string;
  /** Maximum numbers of records added, removed or changed, whatever goes wrong (default: 0). */
  readonly maxChanges?: Readonly<Partial<Record<keyof Delta, number>>>;
  /** Whether it sends several writes, and may fail after some of them. */
  readonly isPlan?: boolean;
  /** Exit codes that are wrong for any service. */
  readonly impossible?: readonly number[];
  readonly wrongSuccess: Check;
}

/** Returns the words of a command line with the ids of records. */
export function argsOf({ args }: CommandCase, { senderIds, groups }: State): string[] {
  const idOf = (wanted: string): string =>
    [...senderIds, ...groups].find(({ name }) => name === wanted)!.id;
  return args.map((word) => word.replace(/<(.+)>/, (_, name: string) => idOf(name)));
}

/**
 * Returns the initial records of every case.
 *
 * @param groups number of groups, at least 3
 * @param hasNamesakes whether some share a name, if the service allows it
 */
export function usualSeed(
  { senderIdIs, firstId, uniqueNames }: Switches,
  groups: number,
  hasNamesakes: boolean,
): Seed {
  const sender_id = senderIdIs === "an id" ? String(firstId) : "ACME";
  const more = Array.from({ length: Math.max(0, groups - 3) }, (_, index) => ({
    name: `Group ${index + 1}`,
    send_birthday: index % 2 === 0,
  }));
  const isShared = hasNamesakes && uniqueNames === "none";
  const twin = { name: "Twins", purpose: "First twin" };
  return {
    senderIds: [
      { name: "ACME", status: "APPROVED" },
      { name: "Orders", purpose: "Order status" },
      ...(isShared ? [twin, { ...twin, purpose: "Second twin" }, twin] : []),
    ],
    groups: [
      ...more,
      {
        name: "Customers",
        send_birthday: true,
        send_holiday: true,
        birthday_message: "Happy birthday, {first_name}!",
        sender_id,
        contacts: 3,
      },
      { name: "VIP", birthday_message: "Cheers" },
      { name: isShared ? "VIP" : "Friends", send_holiday: false },
    ],
  };
}

export function groupNamed({ groups }: State, name: string): GroupState {
  return groups.find((group) => group.name === name)!;
}

const visible = ["name", "send_birthday", "send_holiday", "birthday_message"] as const;

/**
 * Returns how a group differs from the wanted one. Services do not show its sender ID, so an update may reset it
 * if that is reported.
 */
export function differences(
  wanted: Partial<GroupState>,
  after: GroupState | undefined,
  stderr: string,
): string[] {
  if (after === undefined) return ["the group does not exist"];
  const fields = visible.flatMap((field) =>
    field in wanted && wanted[field] !== after[field]
      ? [`${field} is ${JSON.stringify(after[field])}, not ${JSON.stringify(wanted[field])}`]
      : [],
  );
  const isReset = "sender_id" in wanted && wanted.sender_id !== after.sender_id;
  return isReset && !/sender.?id/i.test(stderr)
    ? [...fields, `sender_id is ${after.sender_id}, not ${wanted.sender_id}, which is not reported`]
    : fields;
}

/** Returns the ids in a JSON document as text, in order. */
export function shownIds(stdout: string): string[] {
  return [...stdout.matchAll(/"id": ?"?(\d+)"?/g)].map(([, id]) => id!);
}

/** Returns the problem as a list, which is empty if the condition holds. */
export function unless(holds: boolean, text: string): string[] {
  return holds ? [] : [text];
}
