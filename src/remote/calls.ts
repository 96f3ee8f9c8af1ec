import { operations, type OperationName } from "../contract/operations.ts";
import { requestOf } from "../contract/request.ts";
import type { PageQuery, Reply } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import type { HttpResponse } from "./http/attempt.ts";
import { decodeOperation } from "./decode.ts";
import { checkCommand, mayHaveSucceeded } from "./errors.ts";
import type { RemoteOptions } from "./options.ts";
import { createPerformer, type Performer } from "./perform.ts";
import { withRefusalHint } from "./refusals.ts";
import { isWrite } from "./writes/write-outcome.ts";

export interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly query?: PageQuery;
}

/** A reply and the response it was decoded from. */
export interface CallResult {
  readonly reply: Reply;
  readonly response: HttpResponse;
}

/** The building blocks of a remote service's operations. */
export interface Calls extends Performer {
  readonly options: RemoteOptions;
  readonly decode: (name: OperationName, response: HttpResponse) => Promise<Reply>;
  /** Sends an operation unchanged. @throws SendctlError "outcome_unknown" among others */
  readonly call: (name: OperationName, input: AnyInput) => Promise<CallResult>;
  /** Lists whose pages the service counts from 0. */
  readonly listsFromZero: Set<OperationName>;
}

export function createCalls(options: RemoteOptions): Calls {
  const performer = createPerformer(options);
  const decode = async (name: OperationName, response: HttpResponse): Promise<Reply> => {
    const { method, path } = operations[name];
    const reply = await flagPossibleSuccess(method, decodeOperation(name, response, options));
    return withRefusalHint(reply, path, options);
  };
  return {
    ...performer,
    options,
    decode,
    listsFromZero: new Set(),
    call: async (name, input) => {
      const performed = await performer.perform(
        requestOf(name, input),
        checkCommand(name, input, options),
      );
      if ("unknown" in performed) throw performed.unknown;
      const { response } = performed;
      return { reply: await decode(name, response), response };
    },
  };
}

/** Adds to the error of an undecodable response to a write that the write may have succeeded. */
export async function flagPossibleSuccess(method: string, decoded: Promise<Reply>): Promise<Reply> {
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

/** Returns the service's reply to a successful delete. */
export function deletedReply(name: OperationName): Reply {
  const envelope = { status: true, message: operations[name].message, data: null };
  return { status: 200, text: JSON.stringify(envelope), envelope };
}
