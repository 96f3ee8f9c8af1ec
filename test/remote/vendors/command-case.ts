import type { Delta, GroupState, State } from "./state.ts";
import type { Switches } from "./switches.ts";
import type { Outcome } from "./try-command.ts";
import type { Seed } from "./vendor-service.ts";

/** A command, what it may do to a service, and what its success has to mean. */
export interface CommandCase {
  readonly name: string;
  readonly args: (before: State, switches: Switches) => readonly string[];
  readonly manifest?: (before: State, switches: Switches) => object;
  readonly stdin?: string;
  readonly key?: string;
  /** How many records it may add, remove or change, whatever goes wrong; by itself none. */
  readonly maxChanges?: Readonly<Partial<Record<keyof Delta, number>>>;
  /** It sends several writes, and may fail after some of them. */
  readonly isPlan?: boolean;
  /** Exit codes that no service justifies. */
  readonly impossible?: readonly number[];
  /** Returns what is wrong with a success; empty where it is one. */
  readonly wrongSuccess: (outcome: Outcome, delta: Delta, switches: Switches) => readonly string[];
}

/**
 * Returns the records that every case begins with.
 *
 * @param groups how many groups there are, 3 at least
 * @param hasNamesakes whether some share a name, where the service lets them
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
 * Returns how a group differs from what it should have become. Its sender ID is not shown by a service:
 * it may be reset by an update, where that is reported.
 */
export function differences(
  wanted: Partial<GroupState>,
  after: GroupState | undefined,
  stderr: string,
): string[] {
  if (after === undefined) return ["the group is not there"];
  const fields = visible.flatMap((field) =>
    field in wanted && wanted[field] !== after[field]
      ? [`${field} is ${JSON.stringify(after[field])}, not ${JSON.stringify(wanted[field])}`]
      : [],
  );
  const isReset = "sender_id" in wanted && wanted.sender_id !== after.sender_id;
  return isReset && !/sender.?id/i.test(stderr)
    ? [...fields, `sender_id is ${after.sender_id}, not ${wanted.sender_id}, and nothing says so`]
    : fields;
}

/** Returns the ids that a JSON document shows, as texts, in its order. */
export function shownIds(stdout: string): string[] {
  return [...stdout.matchAll(/"id": ?"?(\d+)"?/g)].map(([, id]) => id!);
}

/** Returns what is wrong where a JSON document does not show each of these records once. */
export function notAll(stdout: string, records: readonly { readonly id: string }[]): string[] {
  const shown = shownIds(stdout).toSorted().join(" ");
  const all = records
    .map(({ id }) => id)
    .toSorted()
    .join(" ");
  return unless(shown === all, `shown is ${shown} of ${all}`);
}

/** Returns what is wrong where a JSON document does not show some of these records, each once. */
export function notSome(stdout: string, records: readonly { readonly id: string }[]): string[] {
  const shown = shownIds(stdout);
  const isKnown = shown.every((id) => records.some((record) => record.id === id));
  const isRight = shown.length > 0 && isKnown && new Set(shown).size === shown.length;
  return unless(isRight, `shown is ${shown.join(" ")}`);
}

/** For what can never succeed. */
export function alwaysWrong(what: string): () => readonly string[] {
  return () => [what];
}

/** A text as it stands in a list of what is wrong, where a condition does not hold. */
export function unless(holds: boolean, text: string): string[] {
  return holds ? [] : [text];
}
