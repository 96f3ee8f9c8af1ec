import { parseDuration } from "../core/time.ts";
import { type OperationName, operations } from "../contract/operations.ts";
import { SendctlError } from "../core/error.ts";

/** Kinds of invalid response bodies. */
const wrongBodies = ["html", "empty", "truncated", "not-json", "wrong-shape"] as const;
export type WrongBody = (typeof wrongBodies)[number];

/** When to drop a connection: before the operation, in the middle of the response, or after the operation. */
const drops = ["before", "during", "after"] as const;
export type Drop = (typeof drops)[number];

/** A fault that `serve --fault` injects into matching requests. It is deterministic. */
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
  /** Number of matching requests to pass first. */
  readonly skip: number;
  /** Injects into every nth request after those. */
  readonly every: number;
  /** Maximum number of injections; Infinity for no limit. */
  readonly times: number;
  /** The fault as written on the command line. */
  readonly text: string;
}

type Effects = Pick<InjectedFault, "status" | "retryAfter" | "latency" | "drop" | "body">;
type Counts = Pick<InjectedFault, "skip" | "every" | "times">;

/** The keys of a fault: the values each takes, and what they set (undefined for an invalid value). */
const keys: Readonly<
  Record<
    string,
    {
      readonly must: string;
      readonly read: (value: string) => Partial<Effects> | Partial<Counts> | undefined;
    }
  >
> = {
  status: {
    must: "a status from 400 to 599",
    read: (value) => (/^[45]\d\d$/.test(value) ? { status: Number(value) } : undefined),
  },
  "retry-after": {
    must: "a whole number of seconds",
    read: (value) => (/^\d{1,9}$/.test(value) ? { retryAfter: Number(value) } : undefined),
  },
  latency: {
    must: "a duration such as 500ms, 30s, 10m or 2h",
    read: (value) => {
      const latency = parseDuration(value);
      return latency === undefined ? undefined : { latency };
    },
  },
  drop: oneOf("drop", drops),
  body: oneOf("body", wrongBodies),
  times: count("times", 1),
  skip: count("skip", 0),
  every: count("every", 1),
};

function oneOf(key: "drop" | "body", known: readonly string[]) {
  return {
    must: `one of ${known.join(", ")}`,
    read: (value: string): Partial<Effects> | undefined =>
      known.includes(value) ? { [key]: value } : undefined,
  };
}

function count(key: keyof Counts, min: number) {
  return {
    must: `a whole number from ${min}`,
    read: (value: string): Partial<Counts> | undefined =>
      /^\d{1,9}$/.test(value) && Number(value) >= min ? { [key]: Number(value) } : undefined,
  };
}

const names = Object.keys(operations) as OperationName[];
const nouns = [...new Set(names.map((name) => `${name.split(".")[0]}.*`))];

/**
 * Parses `--fault OPERATION:key=value[,key=value…]`.
 *
 * @throws SendctlError "usage" that names the invalid part, with the valid values as its hint
 */
export function readFault(specification: string): InjectedFault {
  const wrong = (why: string, hint: string): SendctlError =>
    new SendctlError("usage", `--fault "${specification}": ${why}`, { hint });
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
  let read: Effects & Counts = { skip: 0, every: 1, times: Infinity };
  for (const part of specification.slice(colon + 1).split(",")) {
    const [key = "", ...values] = part.split("=").map((side) => side.trim());
    const value = values.join("=");
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (known === undefined) {
      throw wrong(`unknown key "${key}"`, `use one of ${Object.keys(keys).join(", ")}`);
    }
    if (given.has(key)) throw wrong(`duplicate key ${key}`, "pass it once");
    const set = known.read(value);
    if (set === undefined) throw wrong(`invalid ${key} "${value}"`, `use ${known.must}`);
    given.set(key, value);
    read = { ...read, ...set };
  }
  const contradiction = contradictionIn(read);
  if (contradiction !== undefined) throw wrong(...contradiction);
  const effects = [...given].filter(([key]) => !["times", "skip", "every"].includes(key));
  const text = effects.map(([key, value]) => `${key}=${value}`).join(",");
  return { operations: new Set(matched), ...read, text };
}

function operationsOf(pattern: string): OperationName[] {
  if (pattern === "*") return names;
  if (nouns.includes(pattern)) return names.filter((name) => name.startsWith(pattern.slice(0, -1)));
  return names.filter((name) => name === pattern);
}

/** Returns a contradiction between the keys of a fault, and how to resolve it. */
function contradictionIn(effects: Effects): readonly [why: string, hint: string] | undefined {
  const { status, retryAfter, latency, drop, body } = effects;
  if (retryAfter !== undefined && status === undefined) {
    return ["retry-after needs a status", "add one, such as status=429"];
  }
  if (drop !== undefined && (status ?? body) !== undefined) {
    const effect = status === undefined ? "body" : "status";
    return [`drop contradicts ${effect}`, "use one of them"];
  }
  const isNothing = [status, latency, drop, body].every((effect) => effect === undefined);
  return isNothing ? ["no effect is given", "add status, latency, drop or body"] : undefined;
}
