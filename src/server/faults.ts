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
  /** The body of the response: `body=@file.json`. */
  readonly givenBody?: string;
  /** Headers of the response, by name. */
  readonly headers: Readonly<Record<string, string>>;
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
  readonly read: (value: string, readBody: ReadBody) => Partial<Settings> | undefined;
}

/** Returns the text of a file. @throws SendctlError "usage" if it cannot be read */
type ReadBody = (file: string) => string;

/** Where a fault was given. */
interface Place {
  /** In errors (default: `--fault`). */
  readonly name?: string;
  /** Reads the file of `body=@FILE` (default: none is read). */
  readonly readBody?: ReadBody;
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
  drop: {
    must: `one of ${drops.join(", ")}`,
    read: (value) => {
      const drop = drops.find((known) => known === value);
      return drop && { drop };
    },
  },
  body: {
    must: `one of ${wrongBodies.join(", ")}, or @FILE`,
    read: (value, readBody) => {
      if (/^@./s.test(value)) return { givenBody: readBody(value.slice(1)) };
      const body = wrongBodies.find((known) => known === value);
      return body && { body };
    },
  },
  header: {
    must: "Name:value, with a name that is not Connection, Content-Length or Transfer-Encoding",
    read: (value) => {
      const [, name, text] = /^([\w!#$%&'*+.^`|~-]+):\s*([\x20-\x7e]*)$/.exec(value) ?? [];
      const isFraming = /^(?:connection|content-length|transfer-encoding)$/i.test(name ?? "");
      return name === undefined || isFraming ? undefined : { headers: { [name]: text! } };
    },
  },
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

function count(key: "times" | "skip" | "every" | "seed", min: number): Key {
  return {
    must: `a whole number from ${min}`,
    read: (value) =>
      /^\d{1,9}$/.test(value) && Number(value) >= min ? { [key]: Number(value) } : undefined,
  };
}

const operationNames = Object.keys(operations) as OperationName[];
const nouns = [...new Set(operationNames.map((name) => `${name.split(".")[0]}.*`))];

/**
 * Parses `--fault OPERATION:key=value[,key=value…]`.
 *
 * @throws SendctlError "usage" that names the invalid part, with the valid values as its hint
 */
export function readFault(specification: string, place: Place = {}): InjectedFault {
  const wrong = (why: string, hint: string): SendctlError =>
    new SendctlError("usage", `${place.name ?? "--fault"} "${specification}": ${why}`, { hint });
  const { readBody = () => raise(wrong("no file is read here", "set it with --fault")) } = place;
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
    const known = [...operationNames, ...nouns, "*"].join(", ");
    throw wrong(`unknown operation "${operation}"`, `use one of ${known}`);
  }
  const given: (readonly [key: string, value: string])[] = [];
  let read: Settings = {
    skip: 0,
    every: 1,
    times: Infinity,
    headers: {},
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
    const isRepeated = given.some(([name]) => name === key);
    if (isRepeated && key !== "header") throw wrong(`duplicate key ${key}`, "pass it once");
    given.push([key, value]);
    if (known === undefined) {
      read = { ...read, fields: { ...read.fields, [key]: value } };
      continue;
    }
    const set = known.read(value, readBody);
    if (set === undefined) throw wrong(`invalid ${key} "${value}"`, `use ${known.must}`);
    read = { ...read, ...set, headers: { ...read.headers, ...set.headers } };
  }
  const names = new Set(given.map(([key]) => key));
  if (names.has("seed") && !names.has("chance")) {
    throw wrong("seed requires chance", "add one, such as chance=0.1");
  }
  const contradiction = contradictionIn(read);
  if (contradiction !== undefined) throw wrong(...contradiction);
  const parts = given.map(([key, value]) => `${key}=${value}`);
  return { operations: new Set(matched), ...read, text: `${operation}:${parts.join(",")}` };
}

function raise(error: SendctlError): never {
  throw error;
}

function operationsOf(pattern: string): OperationName[] {
  if (pattern === "*") return operationNames;
  const start = nouns.includes(pattern) ? pattern.slice(0, -1) : undefined;
  return operationNames.filter((name) =>
    start === undefined ? name === pattern : name.startsWith(start),
  );
}

/** Returns a contradiction between the keys of a fault, and how to resolve it. */
function contradictionIn(settings: Settings): readonly [why: string, hint: string] | undefined {
  const { status, retryAfter, latency, drop, givenBody, slow } = settings;
  const body = settings.body ?? givenBody;
  const [header] = Object.keys(settings.headers);
  if (retryAfter !== undefined && status === undefined) {
    return ["retry-after requires status", "add one, such as status=429"];
  }
  if (drop !== undefined) {
    const [other] =
      Object.entries({ status, body, slow, header }).find(([, value]) => value !== undefined) ?? [];
    if (other !== undefined) return [`drop conflicts with ${other}`, "use one of them"];
  }
  const isNothing = [status, latency, drop, body, slow, header].every(
    (effect) => effect === undefined,
  );
  const effects = "add status, latency, slow, drop, body or header";
  return isNothing ? ["missing effect", effects] : undefined;
}

/** The keys of a fault, and the values that each takes. */
export const faultValues: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(keys).map(([name, { must }]) => [name, must]),
);
