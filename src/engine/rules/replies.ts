import { ownBehaviour, type Behaviour } from "../../contract/behaviour.ts";
import { operations, type OperationName } from "../../contract/operations.ts";
import { type Envelope, type Reply, envelopeOf } from "../../contract/service.ts";

/** Returns a reply, whose text is the JSON of the body. */
export function reply(
  status: number,
  body: unknown,
  envelope: Envelope | undefined,
  headers: Reply["headers"] = {},
): Reply {
  let text: string | undefined;
  return {
    status,
    // Lazy, because a search through a million records needs the text of only a few pages.
    get text() {
      return (text ??= JSON.stringify(body));
    },
    envelope,
    headers,
  };
}

/** Returns the success reply of a command that is not an operation of the service. */
export function doneWith(status: number, message: string, data: unknown): Reply {
  const envelope = { status: true, message, data };
  return reply(status, envelope, envelope);
}

/** Returns the success reply of an operation with its message. @param status default: its own */
export function done(
  operation: OperationName,
  data: unknown,
  status: number = operations[operation].status,
): Reply {
  return doneWith(status, operations[operation].message, data);
}

/** Error messages by field (ruling 2). */
export type FieldErrors = Record<string, string[]>;

/** The causes of refusals with a status of their own (ruling 3). */
export type RefusalCause = "not_found" | "invalid" | "taken";

/** A refusal as it is sent. */
interface Refused {
  readonly status: number;
  /** The JSON value of the body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** With the media type, unless it is application/json. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Shapes a refusal (rulings 2 and 3). @param cause a cause, or the status of any other */
export type Refuse = (
  cause: RefusalCause | number,
  message: string,
  errors?: FieldErrors,
) => Refused;

const refused = { status: false } as const;

type Body = Readonly<Record<string, unknown>>;
interface Text {
  readonly message: string;
  /** The message with the errors of the fields, for bodies that have no other place for them. */
  readonly line: string;
  readonly errors: FieldErrors | undefined;
  readonly status: number;
}

/** Bodies by `error_body`: ruling 2. */
const bodies: Readonly<Record<Behaviour["error_body"], (text: Text) => Body>> = {
  envelope: ({ message, errors }) => ({ status: false, message, data: null, ...given(errors) }),
  message: ({ line }) => ({ message: line }),
  errors_by_field: ({ message, errors }) => ({ message, ...given(errors) }),
  error: ({ line }) => ({ error: line }),
  error_message: ({ line }) => ({ error: { message: line } }),
  problem: ({ message, errors, status }) => ({
    type: "about:blank",
    status,
    detail: message,
    ...given(errors),
  }),
};

function given(errors: FieldErrors | undefined): Body {
  return errors === undefined ? {} : { errors };
}

function lineOf(message: string, errors: FieldErrors): string {
  const texts = Object.entries(errors).map(([field, [text]]) => `${field} ${text}`);
  return `${message}: ${texts.join("; ")}`;
}

/**
 * Returns the function that shapes every refusal of a service with this behaviour: rulings 2 and 3.
 * With `always_200`, each body has `status` false, because nothing else shows that it is a refusal;
 * statuses from 500 are those of failures, and stay.
 */
export function refusing(behaviour: Behaviour): Refuse {
  const statuses: Readonly<Record<RefusalCause, number>> = {
    not_found: behaviour.not_found_status,
    invalid: 422,
    taken: 409,
  };
  const bodyOf = bodies[behaviour.error_body];
  const isAlways200 = behaviour.error_status === "always_200";
  const isProblem = behaviour.error_body === "problem" && !isAlways200;
  const headers: Refused["headers"] = isProblem
    ? { "Content-Type": "application/problem+json" }
    : {};
  return (cause, message, errors) => {
    const status = typeof cause === "number" ? cause : statuses[cause];
    // The message of a taken name is complete without the fields.
    const isComplete = cause !== "invalid" || errors === undefined;
    const line = isComplete ? message : lineOf(message, errors);
    const body = bodyOf({ message, line, errors, status });
    if (!isAlways200) return { status, body, headers };
    return {
      status: status < 500 ? 200 : status,
      // First, and again at the end, because problem details have a number there.
      body: { ...refused, ...body, ...refused },
      headers,
    };
  };
}

/** Returns the refusals of a service. */
export function refusalsBy(refuse: Refuse) {
  const refused = (cause: RefusalCause, message: string, errors?: FieldErrors): Reply => {
    const { status, body, headers } = refuse(cause, message, errors);
    return reply(status, body, envelopeOf(body), headers);
  };
  return {
    invalid: (errors: FieldErrors): Reply => refused("invalid", "The request is invalid", errors),
    /** @param kind of record, such as "Sender ID" @param key requested name or id */
    notFound: (kind: string, key: string): Reply =>
      refused("not_found", `${kind} not found: ${key}`),
    /** @param kind of record, such as "Sender ID" */
    nameTaken: (kind: string, name: string): Reply =>
      refused("taken", `${kind} already exists: ${name}`, { name: ["is taken"] }),
  };
}

/** The refusals of commands that are not operations of the service. */
export const { invalid, notFound, nameTaken } = refusalsBy(refusing(ownBehaviour));
