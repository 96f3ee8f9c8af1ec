import { parseDuration } from "../core/time.ts";
import { type OperationName, operations } from "../contract/operations.ts";
import {
  type Field,
  type Fields,
  groupFields,
  namesOf,
  senderIdFields,
} from "../contract/resources.ts";
import { SendctlError } from "../core/error.ts";

/** Kinds of invalid response bodies. */
const wrongBodies = ["html", "empty", "truncated", "not-json", "wrong-shape"] as const;
export type WrongBody = (typeof wrongBodies)[number];

/**
 * When to drop a connection: before the operation, in the middle of the response, or after the operation; "reset" is
 * before it, with a packet that resets the connection.
 */
const drops = ["before", "during", "after", "reset"] as const;
export type Drop = (typeof drops)[number];

/** A fault that `serve --fault` injects into matching requests. It is deterministic, unless it depends on the time. */
export interface InjectedFault {
  readonly operations: ReadonlySet<OperationName>;
  /** HTTP status to respond with instead of running the operation. */
  readonly status?: number;
  /** Retry-After of that response, in seconds. */
  readonly retryAfter?: number;
  /** Delay of the response or the drop, in milliseconds. */
  readonly latency?: number;
  readonly drop?: Drop;
  readonly body?: WrongBody;
  /** Time that the body of the response takes, in milliseconds. */
  readonly slow?: number;
  /** Fields that a request must have, in its path or body, and their values as texts. */
  readonly fields: Readonly<Record<string, string>>;
  /** Milliseconds from the start in which it applies; `lasts` is Infinity for no end. */
  readonly from: number;
  readonly lasts: number;
  /** Probability from 0 to 1, drawn from a sequence that the seed determines. */
  readonly chance: number;
  readonly seed: number;
  /** Number of matching requests to pass first. */
  readonly skip: number;
  /** Injects into every nth request after those. */
  readonly every: number;
  /** Maximum number of injections; Infinity for no limit. */
  readonly times: number;
  /** The whole fault: `group.create:status=503,times=2`. */
  readonly text: string;
}

/** What the keys of a fault set. */
type Settings = Omit<InjectedFault, "operations" | "text">;

interface Key {
  /** The values that it takes. */
  readonly must: string;
  /** Returns what a value sets; undefined for an invalid one. */
  readonly read: (value: string) => Partial<Settings> | undefined;
}

/** The keys of a fault. */
const keys: Readonly<Record<string, Key>> = {
  status: {
    must: "a status from 400 to 599",
    read: (value) => (/^[45]\d\d$/.test(value) ? { status: Number(value) } : undefined),
  },
  "retry-after": {
    must: "a whole number of seconds",
    read: (value) => (/^\d{1,9}$/.test(value) ? { retryAfter: Number(value) } : undefined),
  },
  latency: duration("latency"),
  slow: duration("slow"),
  drop: oneOf("drop", drops),
  body: oneOf("body", wrongBodies),
  times: count("times", 1),
  skip: count("skip", 0),
  every: count("every", 1),
  chance: {
    must: "a number above 0, up to 1",
    read: (value) => {
      const chance = Number(value);
      return /^\d?\.?\d+$/.test(value) && chance > 0 && chance <= 1 ? { chance } : undefined;
    },
  },
  seed: count("seed", 0),
  after: duration("from"),
  for: duration("lasts"),
};

/** Names of the keys, for completion. */
export const faultKeys: readonly string[] = Object.keys(keys);

/** The fields of requests, in their path or body, that a fault can depend on. */
const requestFields = [
  "id",
  ...new Set([senderIdFields, groupFields].flatMap((fields: Fields) => namesOf(fields, isSent))),
];

function isSent({ create, update }: Field): boolean {
  return (create ?? update) !== undefined;
}

function duration(key: "latency" | "slow" | "from" | "lasts"): Key {
  return {
    must: "a duration such as 500ms, 30s, 10m or 2h",
    read: (value) => {
      const milliseconds = parseDuration(value);
      return milliseconds === undefined ? undefined : { [key]: milliseconds };
    },
  };
}

function oneOf(key: "drop" | "body", known: readonly string[]): Key {
  return {
    must: `one of ${known.join(", ")}`,
    read: (value) => (known.includes(value) ? { [key]: value } : undefined),
  };
}

function count(key: "times" | "skip" | "every" | "seed", min: number): Key {
  return {
    must: `a whole number from ${min}`,
    read: (value) =>
      /^\d{1,9}$/.test(value) && Number(value) >= min ? { [key]: Number(value) } : undefined,
  };
}

const names = Object.keys(operations) as OperationName[];
const nouns = [...new Set(names.map((name) => `${name.split(".")[0]}.*`))];

/**
 * Parses `--fault OPERATION:key=value[,key=value…]`.
 *
 * @param place where it was given
 * @throws SendctlError "usage" that names the invalid part, with the valid values as its hint
 */
export function readFault(specification: string, place = "--fault"): InjectedFault {
  const wrong = (why: string, hint: string): SendctlError =>
    new SendctlError("usage", `${place} "${specification}": ${why}`, { hint });
  const colon = specification.indexOf(":");
  if (colon < 0) {
    throw wrong(
      "missing colon",
      "write OPERATION:key=value, such as group.create:status=503,times=2",
    );
  }
  const operation = specification.slice(0, colon).trim();
  const matched = operationsOf(operation);
  if (matched.length === 0) {
    const known = [...names, ...nouns, "*"].join(", ");
    throw wrong(`unknown operation "${operation}"`, `use one of ${known}`);
  }
  const given = new Map<string, string>();
  let read: Settings = {
    skip: 0,
    every: 1,
    times: Infinity,
    fields: {},
    from: 0,
    lasts: Infinity,
    chance: 1,
    seed: 1,
  };
  for (const part of specification.slice(colon + 1).split(",")) {
    const [key = "", ...values] = part.split("=").map((side) => side.trim());
    const value = values.join("=");
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (known === undefined && !requestFields.includes(key)) {
      const all = [...Object.keys(keys), ...requestFields];
      throw wrong(`unknown key "${key}"`, `use one of ${all.join(", ")}`);
    }
    if (given.has(key)) throw wrong(`duplicate key ${key}`, "pass it once");
    given.set(key, value);
    if (known === undefined) {
      read = { ...read, fields: { ...read.fields, [key]: value } };
      continue;
    }
    const set = known.read(value);
    if (set === undefined) throw wrong(`invalid ${key} "${value}"`, `use ${known.must}`);
    read = { ...read, ...set };
  }
  if (given.has("seed") && !given.has("chance")) {
    throw wrong("seed requires chance", "add one, such as chance=0.1");
  }
  const contradiction = contradictionIn(read);
  if (contradiction !== undefined) throw wrong(...contradiction);
  const parts = [...given].map(([key, value]) => `${key}=${value}`);
  return { operations: new Set(matched), ...read, text: `${operation}:${parts.join(",")}` };
}

function operationsOf(pattern: string): OperationName[] {
  if (pattern === "*") return names;
  if (nouns.includes(pattern)) return names.filter((name) => name.startsWith(pattern.slice(0, -1)));
  return names.filter((name) => name === pattern);
}

/** Returns a contradiction between the keys of a fault, and how to resolve it. */
function contradictionIn(settings: Settings): readonly [why: string, hint: string] | undefined {
  const { status, retryAfter, latency, drop, body, slow } = settings;
  if (retryAfter !== undefined && status === undefined) {
    return ["retry-after requires status", "add one, such as status=429"];
  }
  if (drop !== undefined) {
    const [other] =
      Object.entries({ status, body, slow }).find(([, value]) => value !== undefined) ?? [];
    if (other !== undefined) return [`drop conflicts with ${other}`, "use one of them"];
  }
  const isNothing = [status, latency, drop, body, slow].every((effect) => effect === undefined);
  return isNothing ? ["missing effect", "add status, latency, slow, drop or body"] : undefined;
}

/** The keys of a fault, and the values that each takes. */
export const faultValues: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(keys).map(([name, { must }]) => [name, must]),
);
