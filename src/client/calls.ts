import type { PartialBehaviour } from "../contract/behaviour.ts";
import { operations, type OperationName } from "../contract/operations.ts";
import { isKeyOfGateway } from "../service/refusals.ts";
import {
  cursorHeader,
  isRead,
  requestOf,
  type AnyInput,
  type Request,
} from "../contract/request.ts";
import {
  retryAfter,
  shownSenderId,
  succeeded,
  type Reply,
  type ShownRecord,
} from "../contract/service.ts";
import { checkLine, reworded, SendctlError, type Check } from "../core/error.ts";
import { shellWord } from "../core/text.ts";
import type { HttpResponse } from "./http/attempt.ts";
import { decode, decodeOperation } from "./decode.ts";
import type { RecentWrites } from "./recent-writes.ts";
import { createPerformer, mayHaveSucceeded, type PerformerOptions } from "./perform.ts";

export interface RemoteOptions extends PerformerOptions {
  readonly key: string;
  /** What is known of the service where its specification is silent. */
  readonly behaviour: PartialBehaviour;
  /** Words of a command line that select the same target, quoted for a shell (default: none). */
  readonly targetOptions?: readonly string[];
  /** The source of the key and how to replace it, for a key that the service rejects. */
  readonly keyHint?: string | undefined;
  /** What this user has written in the last minute (default: nothing is known). */
  readonly recent?: (() => Promise<RecentWrites>) | undefined;
  /** Prints a note about a request that succeeded. */
  readonly note: (line: string) => Promise<void>;
  /** Whether a profile selects the service, which can store what `probe` finds (default: false). */
  readonly isOfProfile?: boolean;
  /** Remembers that groups show their sender IDs; returns whether they did (default: unknown). */
  readonly senderIds?:
    | { readonly seen: () => Promise<void>; readonly wereSeen: () => Promise<boolean> }
    | undefined;
  /** Returns whether to warn that an update may have reset a sender ID (default: once). */
  readonly mayWarn?: (() => Promise<boolean>) | undefined;
}

/** The building blocks of a remote service's operations. */
export type Calls = ReturnType<typeof createCalls>;

export function createCalls(options: RemoteOptions) {
  const performer = createPerformer(options);
  /** Whether the service has accepted the key for a read. */
  let hasRead = false;
  const responseTo = async (request: Request, check: Check): Promise<HttpResponse> => {
    const performed = await performer.perform(request, check);
    if ("unknown" in performed) throw performed.unknown;
    hasRead ||= isRead(request.method) && performed.response.status < 300;
    return performed.response;
  };
  const hintFor = (path: string, reply: Reply): string | undefined =>
    refusalHint(path, reply, options, hasRead);
  let hasAccepted = false;
  let showsSenderIds = false;
  const noteSenderIds = async (name: OperationName, reply: Reply): Promise<void> => {
    if (showsSenderIds || !name.startsWith("group.") || !succeeded(reply)) return;
    const data = reply.envelope!.data as { readonly data?: readonly ShownRecord[] } | null;
    const shown = [data ?? {}, ...(Array.isArray(data?.data) ? data.data : [])] as ShownRecord[];
    showsSenderIds = shown.some((group) => typeof shownSenderId(group) === "string");
    if (showsSenderIds) await options.senderIds?.seen();
  };
  const decodeAs = async (
    name: OperationName,
    response: HttpResponse,
    check: Check,
  ): Promise<Reply> => {
    const { method } = operations[name];
    const reply = await decoded(decodeOperation(name, response, options), method, check);
    await noteSenderIds(name, reply);
    if (reply.status === 202 && !isRead(method) && !hasAccepted) {
      hasAccepted = true;
      await options.note(
        `${options.base.host} has accepted a change that may not be done yet (HTTP 202)`,
      );
    }
    const cursor = cursorIn(response, options);
    return cursor === undefined
      ? reply
      : { ...reply, headers: { ...reply.headers, [cursorHeader]: cursor } };
  };
  return {
    ...performer,
    options,
    decode: decodeAs,
    /** Returns the hint for a refusal. @param path of the request, without that of the base URL */
    hintFor,
    /** Returns that for an operation, whose path exists on every service. */
    operationHintFor: (path: string, reply: Reply): string | undefined =>
      hintFor(path, reply) ?? missingListHint(path, reply),
    /** Returns whether a group of this service has ever shown its sender ID. */
    showsSenderIds: async (): Promise<boolean> =>
      showsSenderIds || (await options.senderIds?.wereSeen()) === true,
    /** Lists whose pages the service counts from 0. */
    listsFromZero: new Set(),
    /** Sends an operation unchanged. @throws SendctlError "outcome_unknown" among others */
    call: async (name: OperationName, input: AnyInput, isBeforeWrite = false): Promise<Reply> => {
      const check = checkCommand(name, input, options);
      const request = { ...requestOf(name, input), isBeforeWrite };
      return decodeAs(name, await responseTo(request, check), check);
    },
    /** Sends any request unchanged and returns its response, even an error. @throws as `call` */
    send: async (request: Request): Promise<Reply> => {
      const keys = [shellWord(request.path)];
      const check = { command: "sendctl api GET", keys, options: options.targetOptions ?? [] };
      const response = await responseTo(request, check);
      return decoded(decode(response, options), request.method, check);
    },
  };
}

/** Adds to an undecodable response's error that a write may have succeeded, and how to check. */
async function decoded(decoding: Promise<Reply>, method: string, check: Check): Promise<Reply> {
  try {
    return await decoding;
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    const { message, hint = checkLine(check), details } = error;
    const { httpStatus } = details;
    // 307 and 308 mean that nothing was done: RFC 9110, parts 15.4.8 and 15.4.9.
    const isOpen = !isRead(method) && httpStatus !== 307 && httpStatus !== 308;
    if (!isOpen) throw error;
    throw reworded(error, `${message}. ${mayHaveSucceeded}`, { hint, check });
  }
}

/** Returns the cursor that a response has. One with the key gets into no URL. */
function cursorIn({ headers }: HttpResponse, { hide }: RemoteOptions): string | undefined {
  const sent = headers[cursorHeader.toLowerCase()];
  const isCursor = typeof sent === "string" && /^[\w.~-]{1,200}$/.test(sent);
  return isCursor && (hide?.(sent) ?? sent) === sent ? sent : undefined;
}

/** Returns the command that shows whether a write succeeded. */
export function checkCommand(
  name: OperationName,
  input: AnyInput,
  { targetOptions = [] }: RemoteOptions,
): Check {
  const options = [...targetOptions];
  const body = (input.body ?? {}) as { readonly name?: unknown; readonly sender_id?: unknown };
  const { name: given } = body;
  // An invalid body may have any value here, even one without a text.
  const named = typeof given === "string" ? given : "NAME";
  if (name === "group.create") {
    const word = shellWord(named);
    const filter = named.startsWith("-") ? [`--name=${word}`] : ["--name", word];
    return { command: "sendctl group list", keys: [], options: [...filter, ...options] };
  }
  const key = input.path?.["id"] ?? input.path?.["name"] ?? named;
  const command = `sendctl ${name.slice(0, name.indexOf("."))} fetch`;
  const about = body.sender_id === undefined ? "" : "; it shows no sender ID: set that again";
  // After "--" a key that begins with a dash is not read as an option.
  return key.startsWith("-")
    ? { command, keys: [], options: [...options, "--", shellWord(key)], about }
    : { command, keys: [shellWord(key)], options, about };
}

const gatewayHint = "the key may be right: ask the operator of the gateway, or check the base URL";

const permissionHint = "this key can read, but may not do this: use a key that may";

/** Matches the path of a list or a create, which exists on every service. */
const collectionPath = /^\/v1\/[^/?#]+(?:[?#]|$)/;

/** Returns the hint for the 404 of a list or a create. */
function missingListHint(path: string, { status }: Reply): string | undefined {
  if (status !== 404 || !collectionPath.test(path)) return undefined;
  const isLaterPage = /[?&]page=(?!1(?:&|$))/.test(path);
  return isLaterPage
    ? "the page may be after the last one: pass a smaller --page"
    : "check the base URL";
}

function refusalHint(
  path: string,
  reply: Reply,
  { base, keyHint }: RemoteOptions,
  hasRead: boolean,
): string | undefined {
  const { status, text } = reply;
  if (status === 400 && base.protocol === "http:" && /\bHTTPS\b/i.test(text.slice(0, 2000))) {
    return `write https://${base.host}`;
  }
  if (status === 403 && retryAfter(reply) !== undefined) return undefined;
  if (status === 403 && isKeyOfGateway(reply)) return gatewayHint;
  if (status === 403 && hasRead) return permissionHint;
  if (status === 401 || status === 403) return keyHint;
  // The path of each request begins with /v1, too.
  const isRepeated = status === 404 && /\/v1\/*$/.test(base.pathname) && path.startsWith("/v1/");
  return isRepeated ? "omit /v1 from the base URL" : undefined;
}
