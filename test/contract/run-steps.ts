import type { OperationName } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/contract/service.ts";
import { call } from "../engine/support/engine-fixtures.ts";
import { createUuids } from "./normalise.ts";
import type { Caller, Transport } from "./transports.ts";

/** One operation of a caller with any input. */
export interface Request {
  readonly by: Caller;
  readonly operation: OperationName;
  readonly input: { readonly path?: unknown; readonly query?: unknown; readonly body?: unknown };
}

/** A reply that can be compared with that of another transport. */
export interface ComparableReply {
  readonly status: number;
  /** The original text, with uuids replaced. */
  readonly text: string;
  /** The envelope as JSON, which must equal the text; empty without an envelope. */
  readonly envelope: string;
}

function inputOf({ path, ...rest }: Request["input"], resolve: (id: string) => string): unknown {
  const { id } = (path ?? {}) as { readonly id?: unknown };
  return typeof id === "string" ? { ...rest, path: { id: resolve(id) } } : { ...rest, path };
}

/** Runs steps one after the other, because later steps depend on earlier ones. */
export async function runSteps(
  { services }: Transport,
  steps: readonly Request[],
): Promise<ComparableReply[]> {
  const uuids = createUuids();
  const replies: ComparableReply[] = [];
  for (const { by, operation, input } of steps) {
    const reply = await call(services[by], operation, inputOf(input, uuids.resolve));
    replies.push(comparable(reply, uuids.hide));
  }
  return replies;
}

function comparable(
  { status, text, envelope }: Reply,
  hide: (text: string) => string,
): ComparableReply {
  const written = envelope === undefined ? "" : JSON.stringify(envelope);
  return { status, text: hide(text), envelope: hide(written) };
}
