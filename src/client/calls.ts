import { operations, type OperationName } from "../contract/operations.ts";
import { cursorHeader, requestOf, type AnyInput, type Request } from "../contract/request.ts";
import type { Reply } from "../contract/service.ts";
import { SendctlError, type Check } from "../core/error.ts";
import type { HttpResponse } from "./http/attempt.ts";
import { isWrite } from "./http/retry.ts";
import { decode, decodeOperation } from "./decode.ts";
import { checkCommand, checkRequest, mayHaveSucceeded } from "./errors.ts";
import type { RemoteOptions } from "./options.ts";
import { createPerformer, type Performer } from "./perform.ts";
import { withRefusalHint } from "./refusals.ts";

/** The building blocks of a remote service's operations. */
export interface Calls extends Performer {
  readonly options: RemoteOptions;
  readonly decode: (name: OperationName, response: HttpResponse) => Promise<Reply>;
  /** Sends an operation unchanged. @throws SendctlError "outcome_unknown" among others */
  readonly call: (name: OperationName, input: AnyInput) => Promise<Reply>;
  /** Sends any request unchanged and returns its response, including errors. @throws SendctlError as `call` */
  readonly send: (request: Request) => Promise<Reply>;
  /** Lists whose pages the service counts from 0. */
  readonly listsFromZero: Set<OperationName>;
}

export function createCalls(options: RemoteOptions): Calls {
  const performer = createPerformer(options);
  const responseTo = async (request: Request, check: Check): Promise<HttpResponse> => {
    const performed = await performer.perform(request, check);
    if ("unknown" in performed) throw performed.unknown;
    return performed.response;
  };
  const decodeAs = async (name: OperationName, response: HttpResponse): Promise<Reply> => {
    const { method, path } = operations[name];
    const reply = await flagPossibleSuccess(method, decodeOperation(name, response, options));
    const cursor = cursorOf(response, options);
    const hinted = withRefusalHint(reply, path, options);
    return cursor === undefined ? hinted : { ...hinted, cursor };
  };
  return {
    ...performer,
    options,
    decode: decodeAs,
    listsFromZero: new Set(),
    call: async (name, input) => {
      const check = checkCommand(name, input, options);
      return decodeAs(name, await responseTo(requestOf(name, input), check));
    },
    send: async (request) => {
      const response = await responseTo(request, checkRequest(request, options));
      const reply = await flagPossibleSuccess(request.method, decode(response, options));
      return withRefusalHint(reply, request.path, options);
    },
  };
}

/** Adds to the error of an undecodable response to a write that the write may have succeeded. */
async function flagPossibleSuccess(method: string, decoded: Promise<Reply>): Promise<Reply> {
  try {
    return await decoded;
  } catch (error) {
    const isOpen = isWrite(method) && error instanceof SendctlError && error.stored === undefined;
    // 307 and 308 mean that nothing was done: RFC 9110, parts 15.4.8 and 15.4.9.
    if (!isOpen || error.httpStatus === 307 || error.httpStatus === 308) throw error;
    const { kind, message, hint, httpStatus } = error;
    throw new SendctlError(kind, `${message}. ${mayHaveSucceeded}`, {
      cause: error,
      hint,
      httpStatus,
    });
  }
}

const cursorForm = /^[\w.~-]{1,200}$/;

/** Returns the cursor of a response. A service that sends the key in its place does not get it into a URL. */
function cursorOf(
  { headers }: HttpResponse,
  { hide, key }: Pick<RemoteOptions, "hide" | "key">,
): string | undefined {
  const sent = headers[cursorHeader.toLowerCase()];
  if (typeof sent !== "string" || !cursorForm.test(sent)) return undefined;
  return hide(sent) === sent && !sent.includes(key) ? sent : undefined;
}
