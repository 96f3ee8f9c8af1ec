import {
  ownBehaviour,
  isAllowed,
  switchNames,
  switches,
  type PartialBehaviour,
  type SwitchName,
  type SwitchValue,
} from "../contract/behaviour.ts";
import { isObject } from "../contract/service.ts";
import { explainInconclusive, type Fields, type Outcome, type Refused } from "./outcome.ts";
import { jsonText } from "../core/json-text.ts";

/** What was found out about one switch. */
export interface Finding {
  /** Number of its ruling. */
  readonly number: number;
  /** The switch of a behaviour file. */
  readonly switch: SwitchName;
  readonly topic: string;
  readonly verdict: "same" | "differs" | "unknown";
  readonly engine: SwitchValue;
  /** What the service does: the value of the switch, or a text if no value describes it; null if unknown. */
  readonly observed: SwitchValue;
  /** How it was found out, or why it is unknown. */
  readonly how: string;
}

/** A value, which is shown as text if the switch does not have it; behaviour that no value describes; or why it is unknown. */
export type Verdict =
  | { readonly value: unknown }
  | { readonly description: string }
  | { readonly unknown: string };

export type Verdicts = { readonly [Name in SwitchName]?: Verdict };

/** Returns the verdict on something that responses leave open. */
export function ambiguous(why: string): Verdict {
  return { unknown: `ambiguous: ${why}` };
}

/** Returns the verdict on something that no request can show. */
export function hidden(why: string): Verdict {
  return { unknown: `not observable: ${why}` };
}

export interface Findings {
  readonly put: (name: SwitchName, verdict: Verdict, how: string) => void;
  readonly valueOf: (name: SwitchName) => SwitchValue | undefined;
  readonly isOpen: (name: SwitchName) => boolean;
  /** Returns all findings in the order of the switches, which is that of their rulings. */
  readonly all: () => readonly Finding[];
  /** Returns the switches whose values are known. */
  readonly behaviour: () => PartialBehaviour;
}

export function createFindings(): Findings {
  const known = new Map<SwitchName, Finding>();
  const values = new Map<SwitchName, SwitchValue>();
  return {
    put: (name, verdict, how) => {
      const { ruling: number, about: topic } = switches[name];
      const engine = ownBehaviour[name];
      const of = { number, switch: name, topic, engine };
      values.delete(name);
      if ("unknown" in verdict) {
        known.set(name, { ...of, verdict: "unknown", observed: null, how: verdict.unknown });
      } else if ("value" in verdict && isAllowed(name, verdict.value)) {
        const { value } = verdict;
        values.set(name, value);
        const isSame = value === engine;
        known.set(name, { ...of, verdict: isSame ? "same" : "differs", observed: value, how });
      } else {
        const observed = "description" in verdict ? verdict.description : shortText(verdict.value);
        known.set(name, { ...of, verdict: "differs", observed, how });
      }
    },
    valueOf: (name) => values.get(name),
    isOpen: (name) => !known.has(name),
    all: () => switchNames.flatMap((name) => known.get(name) ?? []),
    behaviour: () => Object.fromEntries(values),
  };
}

const maxLength = 60;

/** Returns any value of a response as short text. */
export function shortText(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = jsonText(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** The switches of statuses (ruling 3), by the cause of a refusal. */
const statusSwitches = {
  no_key: "no_key_status",
  unknown_key: "unknown_key_status",
  unknown_path: "unknown_path_status",
  not_found: "not_found_status",
  invalid: "invalid_status",
  taken: "taken_status",
} as const satisfies Readonly<Record<string, SwitchName>>;

/** Why a request is refused: "other" if the status has no switch. */
export type Cause = keyof typeof statusSwitches | "other";

interface RecordedOutcome {
  readonly cause: Cause;
  /** A noun phrase: the request. */
  readonly label: string;
  readonly outcome: Outcome;
  /** Whether one field is to blame. */
  readonly isField: boolean;
}

type RecordedRefusal = RecordedOutcome & { readonly outcome: Refused };

/** The refusals of all experiments, from which rulings 2 and 3 follow. */
export interface Evidence {
  readonly record: (cause: Cause, label: string, outcome: Outcome, isField?: boolean) => void;
  /** Returns the texts of refusals with a label. */
  readonly textsOf: (label: string) => readonly string[];
  /** Records error_body, error_status and the status switches. */
  readonly conclude: (findings: Findings) => void;
}

export function createEvidence(): Evidence {
  const recorded: RecordedOutcome[] = [];
  const refusals = (): RecordedRefusal[] =>
    recorded.filter((entry): entry is RecordedRefusal => entry.outcome.kind === "refused");
  return {
    record: (cause, label, outcome, isField = false) =>
      void recorded.push({ cause, label, outcome, isField }),
    textsOf: (label) =>
      refusals().flatMap((refusal) => (refusal.label === label ? [refusal.outcome.text] : [])),
    conclude: (findings) => {
      const refused = refusals();
      const causes = new Set(refused.map(({ cause }) => cause)).size;
      const shapes = refused.map((refusal) => ({ ...refusal, shape: bodyShape(refusal.outcome) }));
      const foreign = shapes.filter(({ shape }) => plainShapes.has(shape));
      const exceptions = new Set(foreign.map(({ shape, label }) => `; ${shape} for ${label}`));
      const seen = `${refused.length} refusals${[...exceptions].join("")}`;
      findings.put("error_body", errorBodyOf(shapes, foreign), seen);
      const how = `${refused.length} refusals of ${causes} kinds`;
      findings.put("error_status", errorStatusOf(refused, causes), how);
      const isAlways200 = findings.valueOf("error_status") === "always_200";
      for (const [cause, name] of Object.entries(statusSwitches)) {
        const ofCause = recorded.filter((entry) => entry.cause === cause);
        if (ofCause.length === 0) continue;
        findings.put(name, statusOf(name, ofCause, isAlways200), labelsOf(ofCause));
      }
    },
  };
}

function labelsOf(recorded: readonly RecordedOutcome[]): string {
  return [...new Set(recorded.map(({ label }) => label))].join(", ");
}

function errorStatusOf(refused: readonly RecordedRefusal[], causes: number): Verdict {
  const with200 = refused.filter(({ outcome }) => outcome.status < 300);
  if (refused.length === 0) return { unknown: "no refusal was seen" };
  if (with200.length === 0) return { value: "by_cause" };
  if (with200.length < refused.length) {
    return { description: `by cause, but a 2xx for ${labelsOf(with200)}` };
  }
  if (causes < 2) return ambiguous("only one kind of refusal was seen");
  return refused.some(({ outcome }) => outcome.status !== 200)
    ? { description: "a 2xx other than 200 for every refusal" }
    : { value: "always_200" };
}

function statusOf(
  name: SwitchName,
  recorded: readonly RecordedOutcome[],
  isAlways200: boolean,
): Verdict {
  const accepted = recorded.find(({ outcome }) => outcome.kind === "success");
  if (accepted !== undefined) return { description: `${accepted.label}: accepted` };
  if (isAlways200) return hidden("every refusal has HTTP 200");
  const statuses = new Set(
    recorded.flatMap(({ outcome }) => (outcome.kind === "refused" ? [outcome.status] : [])),
  );
  if (statuses.size > 1) return { description: [...statuses].join(" or ") };
  const unclear = recorded.find(({ outcome }) => outcome.kind !== "refused");
  if (unclear !== undefined && (statuses.size === 0 || name === "not_found_status")) {
    return { unknown: `${unclear.label}: ${explainInconclusive(unclear.outcome)}` };
  }
  return { value: [...statuses][0] };
}

type Shaped = RecordedRefusal & { readonly shape: string };

/** @param foreign the refusals whose bodies are not JSON objects, such as those of a gateway */
function errorBodyOf(refused: readonly Shaped[], foreign: readonly Shaped[]): Verdict {
  if (refused.length === 0) return { unknown: "no refusal was seen" };
  const all = refused.map(({ shape }) => shape);
  const shapes = new Set(all.filter((shape) => !plainShapes.has(shape)));
  // Errors by field have no fields if none is to blame.
  if (shapes.has("errors_by_field")) shapes.delete("message");
  const [shape = ""] = shapes;
  if (shapes.size !== 1) return { description: [...new Set(all)].join(" or ") };
  if (foreign.length > 0 && shape === "envelope") {
    return { description: `${shape}, but ${foreign[0]!.shape} for ${labelsOf(foreign)}` };
  }
  const hasField = refused.some((refusal) => refusal.isField && refusal.shape === shape);
  if (shape === "message" && !hasField) {
    return ambiguous("{message}, but no refusal of a field was seen");
  }
  return isAllowed("error_body", shape) ? { value: shape } : { description: shape };
}

/** Shapes of bodies that are not JSON objects. */
const plainShapes: ReadonlySet<string> = new Set(["HTML", "an empty body", "text"]);

/** Returns the value of the switch error_body that describes a refusal, or a description of its body. */
function bodyShape({ body, text, contentType, status }: Refused): string {
  if (!isObject(body)) {
    if (text.trim() === "") return "an empty body";
    return text.trimStart().startsWith("<") ? "HTML" : "text";
  }
  if (body["status"] === false && "data" in body && typeof body["message"] === "string") {
    return hasOnly(body, ["status", "message", "data", "errors"]) ? "envelope" : keysOf(body);
  }
  // A refusal with HTTP 200 needs a status false, whatever else it has.
  const { status: flag, ...others } = body;
  return shapeOf(flag === false && status < 300 ? others : body, contentType) ?? keysOf(body);
}

function shapeOf(body: Fields, contentType: string): string | undefined {
  const { title, type, detail, status, message, errors, error } = body;
  const isProblem =
    /\bproblem\+json\b/.test(contentType) ||
    (typeof title === "string" && typeof status === "number") ||
    // With HTTP 200, the status of problem details gives way to the flag.
    (typeof type === "string" && typeof detail === "string");
  if (isProblem) return "problem";
  if (typeof message === "string" && hasOnly(body, ["message", "errors"])) {
    if (errors === undefined) return "message";
    return isObject(errors) ? "errors_by_field" : undefined;
  }
  if (!hasOnly(body, ["error"])) return undefined;
  if (typeof error === "string") return "error";
  const isNested = isObject(error) && typeof error["message"] === "string";
  return isNested && hasOnly(error, ["message"]) ? "error_message" : undefined;
}

function hasOnly(body: Fields, names: readonly string[]): boolean {
  return Object.keys(body).every((name) => names.includes(name));
}

const maxKeys = 6;

/** Describes an object by its keys: `{error: {code, description}}`. */
function keysOf(body: Fields, depth = 0): string {
  const keys = Object.entries(body).map(([name, value]) => {
    const key = name.slice(0, 30);
    return isObject(value) && depth === 0 ? `${key}: ${keysOf(value, 1)}` : key;
  });
  const more = keys.length > maxKeys ? ", …" : "";
  return `{${keys.slice(0, maxKeys).join(", ")}${more}}`;
}
