import { operations, type OperationName } from "../contract/operations.ts";
import { requestOf } from "../contract/request.ts";
import type { Reply } from "../contract/service.ts";
import type { Answer } from "./http/attempt.ts";
import { decodeOperation } from "./decode.ts";
import { checkCommand } from "./errors.ts";
import type { RemoteOptions } from "./options.ts";
import { createPerformer, type Performer } from "./perform.ts";

export interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/** A reply, and the response that it was read from. */
export interface Called {
  readonly reply: Reply;
  readonly answer: Answer;
}

/** What the operations of a remote service are made of. */
export interface Calls extends Performer {
  readonly options: RemoteOptions;
  readonly decode: (name: OperationName, answer: Answer) => Promise<Reply>;
  /** Sends an operation as it is. @throws SendctlError "outcome_unknown" among others */
  readonly call: (name: OperationName, input: AnyInput) => Promise<Called>;
}

export function createCalls(options: RemoteOptions): Calls {
  const { base, now } = options;
  const performer = createPerformer(options);
  const decode = async (name: OperationName, answer: Answer): Promise<Reply> => {
    // No Content has no envelope by its nature, and says all that a delete has to.
    if (answer.status === 204 && operations[name].method === "DELETE") return deletedReply(name);
    return decodeOperation(name, answer, base.host, now());
  };
  return {
    ...performer,
    options,
    decode,
    call: async (name, input) => {
      const performed = await performer.perform(requestOf(name, input), checkCommand(name, input));
      if ("unknown" in performed) throw performed.unknown;
      const { answer } = performed;
      return { reply: await decode(name, answer), answer };
    },
  };
}

/** Returns what a service responds to a delete that was carried out. */
export function deletedReply(name: OperationName): Reply {
  const envelope = { status: true, message: operations[name].message, data: null };
  return { status: 200, text: JSON.stringify(envelope), envelope };
}
