/** Refusals of the service, as types: src/engine/rules/refusing.ts creates them in the form of a behaviour. */

/** Error messages by field (ruling 2). */
export type FieldErrors = Record<string, string[]>;

/** The causes whose status a behaviour can change (ruling 3). */
export type RefusalCause =
  | "no_key"
  | "unknown_key"
  | "unknown_path"
  | "not_found"
  | "invalid"
  | "taken";

/** A refusal as it is sent. */
interface Refused {
  readonly status: number;
  /** The JSON value of the body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Undefined for application/json. */
  readonly contentType: string | undefined;
}

/** Shapes a refusal (rulings 2 and 3). @param cause a cause, or the status of any other */
export type Refuse = (
  cause: RefusalCause | number,
  message: string,
  errors?: FieldErrors,
) => Refused;
