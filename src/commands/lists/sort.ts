import type { Line } from "../../output/replies.ts";
import type { RecordView } from "../../output/views.ts";
import { invalidValue } from "../arguments.ts";
import { knownField } from "./layout.ts";

/** Returns the lines in sorted order. */
export type Sort = (lines: readonly Line[]) => readonly Line[];

/**
 * Returns the sort function for `FIELD`, `FIELD:asc` or `FIELD:desc`. Records without the field come last in
 * either direction; equal records keep the service's order. Text is compared in lower case.
 *
 * @throws SendctlError "usage" for an unknown field or direction
 */
export function sortOf(given: string | undefined, view: RecordView): Sort | undefined {
  if (given === undefined) return undefined;
  const [name = "", direction = "asc", ...rest] = given.split(":");
  const field = knownField(name, view, "--sort");
  if (!["asc", "desc"].includes(direction) || rest.length > 0) {
    throw invalidValue("order", given, "--sort", `use ${field}:asc or ${field}:desc`);
  }
  const sign = direction === "asc" ? 1 : -1;
  return (lines) => {
    const keys = lines.map(({ record }) => keyOf(record[field]));
    const order = [...keys.keys()].toSorted((one, other) => compare(keys[one], keys[other], sign));
    return order.map((index) => lines[index]!);
  };
}

/** The sort key of a value; undefined comes last. */
type Key = number | bigint | string | undefined;

function keyOf(value: unknown): Key {
  if (typeof value === "string") return value.toLowerCase();
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" || typeof value === "bigint" ? value : undefined;
}

function compare(one: Key, other: Key, sign: 1 | -1): number {
  if (one === other) return 0;
  if (one === undefined) return 1;
  if (other === undefined) return -1;
  if ((typeof one === "string") !== (typeof other === "string")) {
    return typeof one === "string" ? sign : -sign;
  }
  if (one < other) return -sign;
  return one > other ? sign : 0;
}
