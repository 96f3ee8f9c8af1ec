import { type OperationName, operations } from "../contract/operations.ts";
import {
  type Field,
  type Fields,
  groupFields,
  namesOf,
  senderIdFields,
} from "../contract/resources.ts";
import { SendctlError } from "../core/error.ts";
import { parseDuration } from "../core/time.ts";

/** Kinds of invalid response bodies. */
const wrongBodies = ["html", "empty", "truncated", "not-json", "wrong-shape"] as const;
export type WrongBody = (typeof wrongBodies)[number];

/**
 * When to drop a connection: before the operation, in the middle of the response, or after the
 * operation; "reset" is before it, with a packet that resets the connection.
 */
const drops = ["before", "during", "after", "reset"] as const;

/** Returns the text of a file. @throws SendctlError "usage" if it cannot be read */
type ReadBody = (file: string) => string;

interface Key<Value> {
  /** The values that it takes. */
  readonly must: string;
  /** Returns a value; undefined for an invalid one. */
  readonly read: (text: string, readBody: ReadBody) => Value | undefined;
}

const duration: Key<number> = {
  must: "a duration such as 500ms, 30s, 10m or 2h",
  read: parseDuration,
};

function number(min: number, max = Infinity, must = `a whole number from ${min}`): Key<number> {
  const isIn = (value: number): boolean => value >= min && value <= max;
  return {
    must,
    read: (text) => (/^\d{1,9}$/.test(text) && isIn(Number(text)) ? Number(text) : undefined),
  };
}

/** What a fault has, by its key. Times are in milliseconds. */
const keys = {
  /** HTTP status to respond with instead of running the operation. */
  status: number(400, 599, "a status from 400 to 599"),
  /** Retry-After of that response, in seconds. */
  "retry-after": number(0, Infinity, "a whole number of seconds"),
  /** Delay of the response or the drop. */
  latency: duration,
  /** Time that the body of the response takes. */
  slow: duration,
  drop: {
    must: `one of ${drops.join(", ")}`,
    read: (text) => drops.find((known) => known === text),
  } as Key<(typeof drops)[number]>,
  /** A wrong body, or the text of a file: `body=@file.json`. */
  body: {
    must: `one of ${wrongBodies.join(", ")}, or @FILE`,
    read: (text, readBody) =>
      /^@./s.test(text)
        ? { text: readBody(text.slice(1)) }
        : wrongBodies.find((known) => known === text),
  } as Key<WrongBody | { readonly text: string }>,
  /** Headers of the response, by name. */
  header: {
    must: "Name:value, with a name that is not Connection, Content-Length or Transfer-Encoding",
    read: (text) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*([\x20-\x7e]*)$/.exec(text) ?? [];
      const isFraming = /^(?:connection|content-length|transfer-encoding)$/i.test(name ?? "");
      return name === undefined || isFraming ? undefined : { [name]: value! };
    },
  } as Key<Readonly<Record<string, string>>>,
  /** Maximum number of injections. */
  times: number(1),
  /** Number of matching requests to pass first. */
  skip: number(0),
  /** Injects into every nth request after those. */
  every: number(1),
  /** Probability, drawn from a sequence that the seed determines. */
  chance: {
    must: "a number above 0, up to 1",
    read: (text) => {
      const chance = Number(text);
      return /^\d?\.?\d+$/.test(text) && chance > 0 && chance <= 1 ? chance : undefined;
    },
  } as Key<number>,
  seed: number(0),
  /** When it begins to apply, from the start on, and how long it does. */
  after: duration,
  for: duration,
};

const defaults = {
  times: Infinity,
  skip: 0,
  every: 1,
  chance: 1,
  seed: 1,
  after: 0,
  for: Infinity,
};

type Settings = {
  readonly [Name in keyof typeof keys]?: NonNullable<ReturnType<(typeof keys)[Name]["read"]>>;
};

/** A fault that `serve --fault` injects into matching requests: deterministic, apart from time. */
export type InjectedFault = Settings &
  Readonly<typeof defaults> & {
    readonly operations: ReadonlySet<OperationName>;
    /** Fields that a request must have, in its path or body, and their values as texts. */
    readonly fields: Readonly<Record<string, string>>;
    /** The whole fault: `group.create:status=503,times=2`. */
    readonly text: string;
  };

/** The keys of a fault, and the values that each takes. */
export const faultValues: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(keys).map(([name, { must }]) => [name, must]),
);

/** The fields of requests, in their path or body, that a fault can depend on. */
const requestFields = [
  "id",
  ...new Set([senderIdFields, groupFields].flatMap((fields: Fields) => namesOf(fields, isSent))),
];

function isSent({ create, update }: Field): boolean {
  return (create ?? update) !== undefined;
}

const operationNames = Object.keys(operations) as OperationName[];
const nouns = [...new Set(operationNames.map((name) => `${name.split(".")[0]}.*`))];

/** Where a fault was given. */
interface Place {
  /** In errors (default: `--fault`). */
  readonly name?: string;
  /** Reads the file of `body=@FILE` (default: none is read). */
  readonly readBody?: ReadBody | undefined;
}

/**
 * Parses `--fault OPERATION:key=value[,key=value…]`.
 *
 * @throws SendctlError "usage" that names the invalid part, with the valid values as its hint
 */
export function readFault(specification: string, place: Place = {}): InjectedFault {
  const wrong = (why: string, hint: string): SendctlError =>
    new SendctlError("usage", `${place.name ?? "--fault"} "${specification}": ${why}`, { hint });
  const readNone = (): never => {
    throw wrong("no file is read here", "set it with --fault");
  };
  const colon = specification.indexOf(":");
  if (colon < 0) {
    const example = "write OPERATION:key=value, such as group.create:status=503,times=2";
    throw wrong("missing colon", example);
  }
  const operation = specification.slice(0, colon).trim();
  const matched = operationsOf(operation);
  if (matched.length === 0) {
    const known = [...operationNames, ...nouns, "*"].join(", ");
    throw wrong(`unknown operation "${operation}"`, `use one of ${known}`);
  }
  const parts: string[] = [];
  const fields: Record<string, string> = {};
  const settings: Record<string, unknown> = {};
  for (const part of specification.slice(colon + 1).split(",")) {
    const [name = "", ...values] = part.split("=").map((side) => side.trim());
    const value = values.join("=");
    const key = Object.hasOwn(keys, name) ? keys[name as keyof Settings] : undefined;
    if (key === undefined && !requestFields.includes(name)) {
      const known = [...Object.keys(keys), ...requestFields];
      throw wrong(`unknown key "${name}"`, `use one of ${known.join(", ")}`);
    }
    const isRepeated = Object.hasOwn(settings, name) || Object.hasOwn(fields, name);
    if (isRepeated && name !== "header") throw wrong(`duplicate key ${name}`, "pass it once");
    parts.push(`${name}=${value}`);
    if (key === undefined) {
      fields[name] = value;
      continue;
    }
    const read = key.read(value, place.readBody ?? readNone);
    if (read === undefined) throw wrong(`invalid ${name} "${value}"`, `use ${key.must}`);
    settings[name] = name === "header" ? Object.assign(settings[name] ?? {}, read) : read;
  }
  const contradiction = contradictionIn(settings);
  if (contradiction !== undefined) throw wrong(...contradiction);
  const text = `${operation}:${parts.join(",")}`;
  return { ...defaults, ...settings, operations: new Set(matched), fields, text };
}

function operationsOf(pattern: string): OperationName[] {
  if (pattern === "*") return operationNames;
  const start = nouns.includes(pattern) ? pattern.slice(0, -1) : undefined;
  return operationNames.filter((name) =>
    start === undefined ? name === pattern : name.startsWith(start),
  );
}

/** Returns a contradiction between the keys of a fault, and how to resolve it. */
function contradictionIn(
  given: Readonly<Record<string, unknown>>,
): readonly [why: string, hint: string] | undefined {
  const has = (name: keyof Settings): boolean => given[name] !== undefined;
  if (has("seed") && !has("chance")) {
    return ["seed requires chance", "add one, such as chance=0.1"];
  }
  if (has("retry-after") && !has("status")) {
    return ["retry-after requires status", "add one, such as status=429"];
  }
  const other = (["status", "body", "slow", "header"] as const).find(has);
  if (has("drop") && other !== undefined) {
    return [`drop conflicts with ${other}`, "use one of them"];
  }
  if (has("drop") || has("latency") || other !== undefined) return undefined;
  return ["missing effect", "add status, latency, slow, drop, body or header"];
}
