import { onTestFinished } from "vitest";
import type { PartialBehaviour } from "../../../src/contract/behaviour.ts";
import type { Request } from "../../../src/contract/request.ts";
import type { Reply } from "../../../src/contract/service.ts";
import { respondInProcess } from "../../../src/server/serve.ts";
import type { Embedded } from "../../../src/engine/embedded.ts";
import { openInProcess, openOverSocket } from "../../contract/transports.ts";
import { kindOtherThanSqlite } from "../support/test-database.ts";

type Json = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

export interface Received {
  readonly status: number;
  readonly text: string;
  /** The parsed body; empty if there is none. */
  readonly json: Json;
  readonly isRefused: boolean;
}

/** Sends requests to a service with a behaviour. */
export interface Client {
  readonly send: (method: string, path: string, body?: unknown) => Promise<Received>;
  /** Undefined in process, where no request has a key. */
  readonly server: { readonly port: number; readonly key: string } | undefined;
  /** Lines for the operator: defects. */
  readonly complaints: readonly string[];
  readonly engine: Embedded;
  /** Called at the end of the test, unless it was called before. */
  readonly close: () => Promise<void>;
}

interface Connection extends Omit<Client, "send"> {
  readonly sendRequest: (request: Request) => Promise<Pick<Reply, "status" | "text">>;
}

function clientOf({ sendRequest, ...connection }: Connection): Client {
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= connection.close());
  onTestFinished(close);
  const send = async (method: string, path: string, body?: unknown): Promise<Received> => {
    const given = typeof body === "string" ? body : JSON.stringify(body);
    const { status, text } = await sendRequest({ method, path, body: given });
    const json = text === "" ? {} : (JSON.parse(text) as Json);
    return { status, text, json, isRefused: status >= 400 || json["status"] === false };
  };
  return { ...connection, send, close };
}

/** Opens the engine in this process, on a new database. */
export async function inProcess(behaviour: PartialBehaviour): Promise<Client> {
  const { engine, services, close } = await openInProcess(undefined, behaviour);
  const sendRequest = (request: Request) => respondInProcess(engine, services.owner, request);
  return clientOf({ sendRequest, server: undefined, complaints: [], engine, close });
}

/** Opens the remote client, HTTP, a server and the engine behind it, on a new database. */
export async function overHttp(behaviour: PartialBehaviour): Promise<Client> {
  const { send, port, keys, ...transport } = await openOverSocket(undefined, behaviour);
  return clientOf({ ...transport, sendRequest: send, server: { port, key: keys.owner } });
}

/** On another database than SQLite without HTTP, which is the same on each. */
export const transports: Readonly<Record<string, typeof inProcess>> =
  kindOtherThanSqlite() === undefined
    ? { "a call": inProcess, HTTP: overHttp }
    : { "a call": inProcess };
