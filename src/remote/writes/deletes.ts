import type { OperationName } from "../../contract/operations.ts";
import { requestOf, type Request } from "../../contract/request.ts";
import {
  isRefused,
  succeeded,
  type Reply,
  type Service,
  type ShownRecord,
} from "../../contract/service.ts";
import { areAlike } from "../../contract/text/alike.ts";
import { SendctlError } from "../../contract/error.ts";
import { jsonText } from "../../contract/text/json-text.ts";
import type { HttpResponse } from "../http/attempt.ts";
import { deletedReply, type Calls } from "../calls.ts";
import { checkCommand, checkRequest } from "../errors.ts";

type Delete = OperationName & `${string}.delete`;

/**
 * Deletes a group. Group ids are never reused, so the request may be repeated.
 *
 * @throws SendctlError "outcome_unknown" among others
 */
export async function deleteById(
  calls: Calls,
  input: { readonly path: { readonly id: string } },
): Promise<Reply> {
  const name = "group.delete";
  const request = requestOf(name, input);
  const performed = await calls.perform(request, checkCommand(name, input, calls.options));
  if ("unknown" in performed) throw performed.unknown;
  return resolveDelete(calls, name, request, performed);
}

/**
 * Deletes a sender ID. Another record may get its name, so after a lost response the request is repeated only if
 * a fetch still shows the same record.
 */
export function createDeleteByName(calls: Calls): Service["sender-id.delete"] {
  const { retries, note } = calls.options;
  const name = "sender-id.delete";
  return async ({ path, expected }) => {
    let id = textOf(expected?.id);
    if (expected === undefined) {
      const { reply } = await calls.call("sender-id.fetch", { path });
      if (!succeeded(reply)) return reply;
      id = idOf(reply);
      const { name: shown } = reply.envelope!.data as ShownRecord;
      if (!areAlike(path.name, shown))
        throw differentNameShown(calls.options.base.host, path.name, shown);
    }
    const request = requestOf(name, { path });
    const check = checkCommand(name, { path }, calls.options);
    for (let repeats = 0; ; repeats += 1) {
      const performed = await calls.perform(request, check);
      if (!("unknown" in performed)) {
        const lostBefore = performed.lostBefore || repeats > 0;
        return resolveDelete(calls, name, request, { ...performed, lostBefore });
      }
      const { unknown } = performed;
      await calls.backOff(request, repeats + 1, check);
      const found = await lookUp(calls, path, unknown);
      if (isRefused(found)) return gone(note, name, "the response was lost");
      if (!succeeded(found) || repeats >= retries) throw unknown;
      if (id === undefined) throw unknown;
      if (idOf(found) !== id) throw replacedByAnother(unknown);
    }
  };
}

/** Interprets the response to a delete of which an earlier attempt may have succeeded. */
export async function resolveDelete(
  calls: Calls,
  name: Delete,
  request: Request,
  { response, lostBefore }: { readonly response: HttpResponse; readonly lostBefore: boolean },
): Promise<Reply> {
  const { note, behaviour } = calls.options;
  const reply = await calls.decode(name, response);
  if (!lostBefore || succeeded(reply)) return reply;
  const lost = "the response to an earlier attempt was lost";
  if ([404, 410, behaviour.not_found_status].includes(reply.status)) return gone(note, name, lost);
  if (!isRefused(reply)) return reply;
  // Some services send every refusal with HTTP 200, so a fetch has to show whether the record still exists.
  const fetched = { method: "GET", path: request.path, body: undefined };
  const performed = await calls.perform(fetched, checkRequest(request, calls.options));
  if ("unknown" in performed) throw performed.unknown;
  const found = await calls.decode(fetchOf[name], performed.response);
  return isRefused(found) ? gone(note, name, lost) : reply;
}

const fetchOf = {
  "group.delete": "group.fetch",
  "sender-id.delete": "sender-id.fetch",
} as const satisfies Record<Delete, OperationName>;

async function lookUp(
  calls: Calls,
  path: { readonly name: string },
  unknown: SendctlError,
): Promise<Reply> {
  try {
    return (await calls.call("sender-id.fetch", { path })).reply;
  } catch (error) {
    const isStopped =
      error instanceof SendctlError && ["cancelled", "terminated"].includes(error.kind);
    if (!(error instanceof SendctlError) || isStopped) throw error;
    throw unknown;
  }
}

/** @param lost which response was lost */
async function gone(
  note: (line: string) => Promise<void>,
  name: Delete,
  lost: string,
): Promise<Reply> {
  await note(`${lost}; the record no longer exists`);
  return deletedReply(name);
}

/** Returns the error for a service that matched the text in a path as an id or a prefix of a name. */
function differentNameShown(host: string, name: string, shown: unknown): SendctlError {
  return new SendctlError(
    "unexpected_response",
    `${host} returned the sender ID ${jsonText(shown ?? null)} for the name ${jsonText(name)}; nothing was deleted`,
  );
}

function replacedByAnother({ hint, httpStatus, check }: SendctlError): SendctlError {
  return new SendctlError(
    "outcome_unknown",
    "the response to the delete was lost, and the name now belongs to another record",
    { hint, check, ...(httpStatus === undefined ? {} : { httpStatus }) },
  );
}

function idOf({ envelope }: Reply): string | undefined {
  return textOf((envelope?.data as ShownRecord | null)?.["id"]);
}

/** Returns an id as text, whatever its JSON type. */
function textOf(id: unknown): string | undefined {
  return ["number", "bigint", "string"].includes(typeof id) ? String(id) : undefined;
}
