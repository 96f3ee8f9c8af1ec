import type { OperationName } from "../../src/contract/operations.ts";
import type { Caller } from "./transports.ts";

/** One operation and the reply that the specification and the rulings require. */
export interface Step {
  readonly by: Caller;
  readonly operation: OperationName;
  /** Any values, as from outside. In `path.id`, `uuid:N` stands for the uuid of group N. */
  readonly input: { readonly path?: unknown; readonly query?: unknown; readonly body?: unknown };
  readonly status: number;
  /** Normalised JSON text: see normalise.ts. */
  readonly text: string;
}

/** A sequence of operations on a new database. */
export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** The status of each success (ruling 1). Repeated here to check the program's own table. */
const successes: Readonly<Record<OperationName, readonly [status: number, message: string]>> = {
  "sender-id.create": [201, "Sender Id created"],
  "sender-id.list": [200, "Sender Ids retrieved"],
  "sender-id.fetch": [200, "Sender retrieved"],
  "sender-id.delete": [200, "Sender deleted"],
  "group.create": [201, "Group created"],
  "group.list": [200, "Groups retrieved"],
  "group.fetch": [200, "Group retrieved"],
  "group.update": [200, "Group updated"],
  "group.delete": [200, "Group deleted"],
};

interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The invalid fields, in order. */
  readonly fields?: readonly string[];
}

/** The data of a success, or a refusal. */
type Expected = { readonly data: unknown } | Refusal;

/** Replaces the error of a field, whose wording these tests do not check. */
export const anyError = "any error";

/** Creates a step. @param by caller whose key is sent */
export function step(
  operation: OperationName,
  input: Step["input"],
  expected: Expected,
  by: Caller = "owner",
): Step {
  if ("data" in expected) {
    const [status, message] = successes[operation];
    const text = JSON.stringify({ status: true, message, data: expected.data });
    return { by, operation, input, status, text };
  }
  const { status, message, fields } = expected;
  const errors = fields && Object.fromEntries(fields.map((field) => [field, [anyError]]));
  const text = JSON.stringify({ status: false, message, data: null, errors });
  return { by, operation, input, status, text };
}

/** Ruling 3: 422 and the invalid fields. */
export const invalid = (...fields: readonly string[]): Refusal => ({
  status: 422,
  message: "The request is invalid",
  fields,
});

/** Ruling 3: 404. */
export const noSenderId = (name: string): Refusal => ({
  status: 404,
  message: `Sender ID not found: ${name}`,
});

/** Ruling 3: 404. */
export const noGroup = (id: string): Refusal => ({
  status: 404,
  message: `Group not found: ${id}`,
});

/** Ruling 3: 409. */
export const taken = (name: string): Refusal => ({
  status: 409,
  message: `Sender ID already exists: ${name}`,
  fields: ["name"],
});
