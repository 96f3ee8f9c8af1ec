import { operations, type OperationName } from "../../contract/operations.ts";
import { requestOf, type AnyInput, type Request, isRead } from "../../contract/request.ts";
import {
  serviceOf,
  type Expecting,
  type OperationHandler,
  type Reply,
  type Service,
  type ShownRecord,
} from "../../contract/service.ts";
import { refuseChange, type Scope, type Settings } from "../../config/settings.ts";
import { databaseName, targetName } from "../../config/target.ts";
import { safeText } from "../../core/text.ts";
import type { Output } from "../../output/output.ts";

/** What passes through the layers: an operation of the service, or any request of `sendctl api`. */
export interface Call {
  readonly method: string;
  /** The path, perhaps with a query, or the pattern of an operation. */
  readonly path: string;
  readonly body?: unknown;
  readonly operation?: OperationName;
  /** The record that it changes, as a list showed it. */
  readonly expected?: ShownRecord | undefined;
  /** Whether the caller of a create knows the records before it. */
  readonly isListRead: boolean;
  /** The record before the write, once `onRead` was called with it. */
  readonly before: ShownRecord | null;
  readonly onRead: (before: ShownRecord) => void;
  /** Returns it as a request. */
  readonly request: () => Request;
  /** Reads the record that it changes. */
  readonly fetch: () => Promise<Reply>;
}

/** Acts before or after a call, or ends it. @param next passes the call to the layers below */
export type Layer = (call: Call, next: () => Promise<Reply>) => Promise<Reply>;

/** A service, and what sends any request to it and returns the unchanged response. */
export interface Endpoint {
  readonly service: Service;
  readonly send: (request: Request) => Promise<Reply>;
  /** Returns the hint for the refusal of a request with this path. */
  readonly hintFor?: (path: string, reply: Reply) => Promise<string | undefined>;
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
      const call = {
        before: null as ShownRecord | null,
        onRead: (before: ShownRecord): void => {
          call.before = before;
          (input as Expecting).onRead?.(before);
        },
        method,
        path,
        body: input.body,
        operation: name,
        expected: input.expected as ShownRecord | undefined,
        isListRead: input.existed !== undefined,
        request: () => requestOf(name, input),
        fetch: () => fetch({ path: input.path } as never),
      };
      return pass(call, () => operate({ ...input, onRead: call.onRead } as never));
    }),
    send: (request) => {
      const fetch = (): Promise<Reply> =>
        send({ method: "GET", path: request.path, body: undefined });
      const unread = { before: null, onRead: () => {}, isListRead: false };
      const call = { ...request, ...unread, request: () => request, fetch };
      return pass(call, () => send(request));
    },
  };
}

/**
 * Creates the layer that logs calls with status and duration, for `--debug` of the engine.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function createTrace(elapsed: () => number, log: (line: string) => Promise<void>): Layer {
  return async ({ operation, method, path }, next) => {
    const startedAt = elapsed();
    const reply = await next();
    const milliseconds = (elapsed() - startedAt).toFixed(1);
    const name = operation ?? `${method} ${path}`;
    await log(`debug: ${name} returned ${reply.status} in ${milliseconds} ms`);
    return reply;
  };
}

/** Creates the layer that refuses changes that are undeclared, or of a read-only target. */
export function createProtection(settings: Settings) {
  let declared: Scope | undefined;
  let isTrial = false;
  const requireDeclaration = (): void => {
    if (declared === undefined) throw new Error("the command does not declare what it changes");
  };
  /** @throws SendctlError "usage" if the service is read-only */
  const refuseServiceChange = (): void => {
    requireDeclaration();
    refuseChange(settings, "service");
  };
  const layer: Layer = async ({ method }, next) => {
    if (!isRead(method)) refuseServiceChange();
    return next();
  };
  return {
    layer,
    refuseServiceChange,
    requireDeclaration,
    /** Returns whether the command tries a change of the database. */
    isTrial: () => isTrial,
    /** Returns the scope that the command has declared to change. */
    declared: () => declared,
    /**
     * Declares what the command changes.
     *
     * @param canTry whether the command tries a change of the database with `--dry-run`
     * @throws SendctlError "usage" if it is read-only
     */
    willChange: (scope: Scope, canTry = false): void => {
      isTrial = canTry && settings.dryRun;
      if (isTrial || (settings.dryRun && scope === "service")) return;
      refuseChange(settings, scope);
      declared = scope;
    },
  };
}

/**
 * Creates the layer that names the target of a command on stderr, once, before the first change: a
 * service always, a database at a terminal only.
 */
export function createAnnouncer(settings: Settings, output: Output) {
  let announcement: Promise<void> | undefined;
  const name = (target: string, isProtected: boolean): Promise<void> => {
    const line = safeText(`→ ${target}`);
    return (announcement ??= output.say(isProtected ? (style) => style.bad(line) : line));
  };
  const service = (): Promise<void> =>
    name(targetName(settings), settings.protection.service !== undefined);
  const database = async (): Promise<void> => {
    if (!output.isStderrTerminal()) return;
    await name(databaseName(settings), settings.protection.database !== undefined);
  };
  const chosen = settings.baseUrl === undefined ? database : service;
  const layer: Layer = async ({ method }, next) => {
    if (!isRead(method)) await chosen();
    return next();
  };
  return {
    layer,
    /** Names the target, whatever it is. */
    service,
    /** Names the database, even if a service is chosen. */
    database,
    /** Names the service or the database that is chosen. */
    chosen,
  };
}
