import { operations, type OperationName } from "../../contract/operations.ts";
import { requestOf, type AnyInput, type Request } from "../../contract/request.ts";
import {
  serviceOf,
  type OperationHandler,
  type Reply,
  type Service,
  type ShownRecord,
} from "../../contract/service.ts";

/** What passes through the layers: an operation of the service, or any request of `sendctl api`. */
export interface Call {
  readonly method: string;
  /** The path, perhaps with a query, or the pattern of an operation. */
  readonly path: string;
  readonly body?: unknown;
  readonly operation?: OperationName;
  /** The record that it changes, as a list showed it. */
  readonly expected?: ShownRecord | undefined;
  /** Returns it as a request. */
  readonly request: () => Request;
  /** Reads the record that it changes. */
  readonly fetch: () => Promise<Reply>;
}

/** Does something before or after a call, or ends it. @param next carries the call on through the layers below */
export type Layer = (call: Call, next: () => Promise<Reply>) => Promise<Reply>;

/** A service, and what sends any request to it and returns the unchanged response. */
export interface Endpoint {
  readonly service: Service;
  readonly send: (request: Request) => Promise<Reply>;
}

/** Returns an endpoint whose calls pass through layers, the first one first. */
export function throughLayers({ service, send }: Endpoint, layers: readonly Layer[]): Endpoint {
  const pass = (call: Call, carryOut: () => Promise<Reply>): Promise<Reply> =>
    layers.reduceRight<() => Promise<Reply>>((next, layer) => () => layer(call, next), carryOut)();
  return {
    service: serviceOf((name) => (input: AnyInput) => {
      const { method, path, resource } = operations[name];
      const operate: OperationHandler = service[name];
      const fetch: OperationHandler = service[`${resource}.fetch`];
      const call: Call = {
        method,
        path,
        body: input.body,
        operation: name,
        expected: input.expected as ShownRecord | undefined,
        request: () => requestOf(name, input),
        fetch: () => fetch({ path: input.path } as never),
      };
      return pass(call, () => operate(input as never));
    }),
    send: (request) => {
      const fetch = (): Promise<Reply> =>
        send({ method: "GET", path: request.path, body: undefined });
      return pass({ ...request, request: () => request, fetch }, () => send(request));
    },
  };
}
