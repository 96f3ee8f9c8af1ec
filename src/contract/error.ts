/**
 * Everything that ends a command and is no answer of the service. What the service refuses is a Reply;
 * what nobody foresaw is any other Error, and a defect.
 */
export type ErrorKind =
  /** Bad arguments, settings or files, or input missing and nobody to ask. Nothing was sent. */
  | "usage"
  /** No key, or one that the embedded database did not issue. */
  | "key"
  /** The embedded database can't be used. */
  | "database"
  /** No connection, no answer in time, and nothing was changed. */
  | "unavailable"
  /** A write was sent, and no answer came. */
  | "unknown"
  /** What answered is not the service, or does not show what it promised. */
  | "answer"
  /** What was waited for did not come about, in time or at all. */
  | "waited"
  /** Standard output can't be written. */
  | "output"
  /** The person at the terminal said stop at a question. */
  | "cancelled"
  /** SIGINT came while something was under way. */
  | "interrupted"
  /** SIGTERM came while something was under way. */
  | "terminated";

export class SendctlError extends Error {
  override name = "SendctlError";
  readonly kind: ErrorKind;

  /** @param message one line for people: what is wrong, and what would mend it */
  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
