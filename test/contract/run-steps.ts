import type { OperationName } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/contract/service.ts";
import { call } from "../engine/support/engine-fixtures.ts";
import { createUuids } from "./normalise.ts";
import type { Caller, Transport } from "./transports.ts";

/** One operation, whoever asks for it and whatever is given. */
export interface Request {
  readonly by: Caller;
  readonly operation: OperationName;
  readonly input: { readonly path?: unknown; readonly query?: unknown; readonly body?: unknown };
}

/** A reply that can be compared with another way's. */
export interface ComparableReply {
  readonly status: number;
  /** As it came, but for uuids. */
  readonly text: string;
  /** The envelope written as JSON again, which has to be the text; empty where there is none. */
  readonly envelope: string;
}

function inputOf({ path, ...rest }: Request["input"], resolve: (id: string) => string): unknown {
  const { id } = (path ?? {}) as { readonly id?: unknown };
  return typeof id === "string" ? { ...rest, path: { id: resolve(id) } } : { ...rest, path };
}

/** Asks for one after the other, as each may depend on what was done before. */
export async function runSteps(
  { services }: Transport,
  steps: readonly Request[],
): Promise<ComparableReply[]> {
  const uuids = createUuids();
  const replies: ComparableReply[] = [];
  for (const { by, operation, input } of steps) {
    const reply = await call(services[by], operation, inputOf(input, uuids.resolve));
    replies.push(told(reply, uuids.hide));
  }
  return replies;
}

function told({ status, text, envelope }: Reply, hide: (text: string) => string): ComparableReply {
  const written = envelope === undefined ? "" : JSON.stringify(envelope);
  return { status, text: hide(text), envelope: hide(written) };
}
