import { SendctlError } from "../core/error.ts";
import { readBaseUrl, routeTo } from "./http/route.ts";
import { quotedPair } from "../core/text.ts";
import { succeeded, type Service } from "../contract/service.ts";
import { createCalls, type Calls, type RemoteOptions } from "./calls.ts";
import { recordOf } from "./compare.ts";
import { listPage } from "./lists.ts";
import { find } from "./reads.ts";
import { throwingRefusals } from "../service/refusals.ts";
import { create } from "./writes/creates.ts";
import { deleteRecord } from "./writes/deletes.ts";
import { createGroupWrites } from "./writes/updates.ts";

interface Remote extends Pick<Calls, "send" | "perform" | "hintFor"> {
  /** It throws its refusals, with hints. */
  readonly service: Service;
}

/**
 * Returns the service over HTTP: docs/remote.md.
 *
 * Each operation throws a SendctlError: "unavailable" if nothing was changed and no response
 * arrived, "outcome_unknown" if a write may have succeeded, "unexpected_response" if the response
 * is not the service's or shows values other than those sent, "cancelled" if interrupted.
 */
function createRemote(options: RemoteOptions): Remote {
  const calls = createCalls(options);
  const service: Service = {
    "sender-id.list": ({ query }) => listPage(calls, "sender-id.list", query),
    "sender-id.create": (input) => create(calls, "sender-id", input),
    "sender-id.fetch": async ({ path, expected, isCurrent }) => {
      const { reply, reason } = await find(calls, "sender-id", path, { expected, isCurrent });
      // A command that decides something by it fetches it more than once.
      if (reason !== undefined && isCurrent !== true) await options.note(reason);
      const { name } = succeeded(reply) ? recordOf(reply) : path;
      if (typeof name === "string" && name !== path.name) {
        const [wanted, stored] = quotedPair(path.name, name);
        await options.note(`the service returned the sender ID ${stored} for ${wanted}`);
      }
      return reply;
    },
    "sender-id.delete": ({ path, ...wanted }) => deleteRecord(calls, "sender-id", path, wanted),
    "group.list": ({ query }) => listPage(calls, "group.list", query),
    "group.fetch": async ({ path, expected, isCurrent }) =>
      (await find(calls, "group", path, { expected, isCurrent })).reply,
    ...createGroupWrites(calls),
    "group.delete": ({ path, ...wanted }) => deleteRecord(calls, "group", path, wanted),
  };
  const { send, perform, hintFor, operationHintFor } = calls;
  return { service: throwingRefusals(service, operationHintFor), send, perform, hintFor };
}

/** Settings from which the composition root opens a remote service. */
export interface RemoteSettings extends Omit<RemoteOptions, "base" | "key" | "route"> {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly insecureHttp: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A remote service with connections to close. */
export interface OpenRemote extends Remote {
  readonly host: string;
  readonly close: () => void;
}

/** Returns whether a key is valid in a header. */
export function isSendable(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** Opens a service. @throws SendctlError "auth" without a key, "usage" for a bad key or address */
export async function openRemote(settings: RemoteSettings): Promise<OpenRemote> {
  const { baseUrl, key, insecureHttp, env, ...options } = settings;
  const { keyHint = "sendctl login, or set SENDCTL_SECRET_KEY" } = options;
  const base = readBaseUrl(baseUrl, insecureHttp);
  const { host } = base;
  if (key === undefined) {
    throw new SendctlError("auth", `no key is configured for ${host}`, { hint: keyHint });
  }
  if (!isSendable(key)) {
    throw new SendctlError(
      "usage",
      "SENDCTL_SECRET_KEY contains white space or characters that a header cannot carry",
      { hint: "set it to the key only", field: "SENDCTL_SECRET_KEY" },
    );
  }
  const route = await routeTo(base, env);
  const remote = createRemote({ ...options, base, key, route });
  return { ...remote, host, close: route.close };
}
