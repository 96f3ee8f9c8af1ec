import type { Service } from "../contract/service.ts";
import type { Embedded } from "../engine/embedded.ts";
import { createRemote } from "../client/client.ts";
import type { RemoteOptions } from "../client/calls.ts";
import { respondInProcess } from "../server/serve.ts";

/** The name of the engine where messages name the host of a remote service. */
const base = new URL("http://embedded-engine");

type Options = Pick<
  RemoteOptions,
  "signal" | "now" | "elapsed" | "random" | "sleep" | "hide" | "note"
>;

/**
 * Returns the client of an engine with a behaviour other than its own. It is the remote client without HTTP, so that
 * commands work as with a service that behaves like this: an update, for example, sends all fields if the service
 * resets those that are omitted.
 */
export function clientOf(engine: Embedded, service: Service, options: Options): Service {
  const { service: client } = createRemote({
    ...options,
    base,
    key: "",
    behaviour: engine.behaviour,
    timeout: 0,
    retries: 0,
    // Errors of the database are thrown on, as without the client.
    attempt: async ({ method, path, body }) => {
      const { status, text } = await respondInProcess(engine, service, { method, path, body });
      return { status, text, headers: {} };
    },
    route: noRoute,
    log: async () => {},
    watch: undefined,
  });
  return client;
}

/** Is never used, because no request is sent. */
const noRoute = {} as RemoteOptions["route"];
