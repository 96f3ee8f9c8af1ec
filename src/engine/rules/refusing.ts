import type { Behaviour } from "../../contract/behaviour.ts";
import type { FieldErrors, Refuse, RefusalCause } from "./refusal.ts";

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
 * Returns the function that shapes every refusal of a service with this behaviour: rulings 2 and 3. With
 * `always_200`, each body has `status` false, because nothing else shows that it is a refusal; statuses from 500 are
 * those of failures, and stay.
 */
export function refusing(behaviour: Behaviour): Refuse {
  const statuses: Readonly<Record<RefusalCause, number>> = {
    no_key: behaviour.no_key_status,
    unknown_key: behaviour.unknown_key_status,
    unknown_path: behaviour.unknown_path_status,
    not_found: behaviour.not_found_status,
    invalid: behaviour.invalid_status,
    taken: behaviour.taken_status,
  };
  const bodyOf = bodies[behaviour.error_body];
  const isAlways200 = behaviour.error_status === "always_200";
  const isProblem = behaviour.error_body === "problem" && !isAlways200;
  const contentType = isProblem ? "application/problem+json" : undefined;
  return (cause, message, errors) => {
    const status = typeof cause === "number" ? cause : statuses[cause];
    // The message of a taken name is complete without the fields.
    const isComplete = cause !== "invalid" || errors === undefined;
    const line = isComplete ? message : lineOf(message, errors);
    const body = bodyOf({ message, line, errors, status });
    if (!isAlways200) return { status, body, contentType };
    return {
      status: status < 500 ? 200 : status,
      // First, and again at the end, because problem details have a number there.
      body: { ...refused, ...body, ...refused },
      contentType,
    };
  };
}
