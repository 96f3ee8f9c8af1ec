import type { PartialBehaviour } from "../contract/behaviour.ts";
import { type Envelope, isObject, readBoolean } from "../contract/envelope.ts";
import type { Reply } from "../contract/service.ts";
import type { RemoteOptions } from "./options.ts";

type Body = Readonly<Record<string, unknown>>;

/** Returns the message of a refusal in each form of a body; undefined for any other body (ruling 2). */
const messages: Readonly<
  Record<NonNullable<PartialBehaviour["error_body"]>, (body: Body) => unknown>
> = {
  // Recognized without any knowledge of the service.
  envelope: () => undefined,
  message: ({ message }) => message,
  errors_by_field: ({ message }) => message,
  error: ({ error }) => error,
  error_message: ({ error }) => (isObject(error) ? error["message"] : undefined),
  problem: ({ title, detail }) => detail ?? title,
};

/** Texts in `status` with which services refuse. */
const refusedStatuses: ReadonlySet<unknown> = new Set(["error", "fail", "failed"]);

/**
 * Returns the envelope of a refusal in a 2xx body that is not an envelope: one that can only be a refusal, or one in the
 * form in which the service is known to refuse; undefined for any other body.
 */
export function refusalIn(
  body: unknown,
  { error_status, error_body = "envelope" }: PartialBehaviour,
): Envelope | undefined {
  if (!isObject(body)) return undefined;
  const known = error_status === "always_200" ? messages[error_body](body) : undefined;
  if (typeof known !== "string" && !canOnlyBeRefusal(body)) return undefined;
  const { message = known } = body;
  return {
    ...body,
    status: false,
    message: typeof message === "string" ? message : "",
    data: null,
  };
}

/** A body with `error` and a record may be a success with a warning. */
function canOnlyBeRefusal({ success, status, error, data }: Body): boolean {
  if (readBoolean(success) === false || refusedStatuses.has(status)) return true;
  const isSaid = isObject(error) || (typeof error === "string" && error !== "");
  return isSaid && status === undefined && (data ?? null) === null;
}

/** Matches the path of a list or a create, which exists on every service. */
const collectionPath = /^\/v1\/[^/?#]+(?:[?#]|$)/;

/** Adds what the user can do about a refusal. @param path of the request, without the path of the base URL */
export function withRefusalHint(
  reply: Reply,
  path: string,
  { base, keyHint }: Pick<RemoteOptions, "base" | "keyHint">,
): Reply {
  const hint = hintFor(reply.status, path, base, keyHint);
  return hint === undefined ? reply : { ...reply, hint };
}

function hintFor(
  status: number,
  path: string,
  { pathname }: URL,
  keyHint: string | undefined,
): string | undefined {
  if (status === 401 || status === 403) return keyHint;
  // The path of each request begins with /v1, too.
  const isRepeated = status === 404 && /\/v1\/*$/.test(pathname) && collectionPath.test(path);
  return isRepeated ? "omit /v1 from the base URL" : undefined;
}
