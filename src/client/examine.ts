import { requestOf } from "../contract/request.ts";
import { SendctlError } from "../core/error.ts";
import { proxyFor, readBaseUrl, routeTo } from "./http/route.ts";
import { decodeOperation } from "./decode.ts";
import { isSendable, type RemoteSettings } from "./client.ts";
import { createPerformer, type PerformerOptions } from "./perform.ts";

/** The address of a service, and how to reach it. */
type Endpoint = Pick<RemoteSettings, "baseUrl" | "insecureHttp" | "env">;

type ExamineOptions = Endpoint &
  Pick<PerformerOptions, "key" | "timeout" | "signal" | "now" | "elapsed">;

/** Describes the proxy used for the service, without its password. @throws SendctlError "usage" */
export async function describeProxy({ baseUrl, insecureHttp, env }: Endpoint): Promise<string> {
  const base = readBaseUrl(baseUrl, insecureHttp);
  const { name, address, exception } = proxyFor(base, env);
  if (address === undefined) return "none";
  if (exception === "NO_PROXY") return `none: NO_PROXY excludes ${base.hostname} from ${name}`;
  if (exception !== undefined) return `none: ${name} is not used for ${exception}`;
  const route = await routeTo(base, env);
  route.close();
  return `${route.via}, from ${name}`;
}

/**
 * Requests a list of one record, once; without a key that is missing or invalid in a header. If its
 * path is not found or redirects, requests it with the slash at the end of some frameworks.
 *
 * @throws SendctlError "usage" for an invalid address, "unavailable" or "unexpected_response" if no
 *   response arrived, "cancelled" or "terminated"
 */
export async function checkService(options: ExamineOptions) {
  const { key, now, elapsed } = options;
  const base = readBaseUrl(options.baseUrl, options.insecureHttp);
  const { host } = base;
  const route = await routeTo(base, options.env);
  const request = requestOf("sender-id.list", { query: { perPage: 1 } });
  const { perform } = createPerformer({
    ...options,
    base,
    route,
    key: key !== undefined && isSendable(key) ? key : undefined,
    retries: 0,
    random: () => 0,
    sleep: () => Promise.resolve(),
    log: () => Promise.resolve(),
    watch: undefined,
  });
  const check = { command: "sendctl sender-id list", keys: [], options: [] };
  const ask = async (path: string) => {
    const startedAt = elapsed();
    const performed = await perform({ ...request, path }, check);
    const ended = now();
    const duration = elapsed() - startedAt;
    // A read has no unknown outcome.
    if ("unknown" in performed) throw performed.unknown;
    const decoding = { base, now: () => ended, behaviour: {} };
    const reply = await decodeOperation("sender-id.list", performed.response, decoding).catch(
      (error: unknown) => {
        if (error instanceof SendctlError) return error;
        throw error;
      },
    );
    return { duration, reply, status: performed.response.status };
  };
  try {
    const { status, ...found } = await ask(request.path);
    const isElsewhere = status === 404 || (status >= 300 && status < 400);
    const slashed = isElsewhere ? await ask(request.path.replace("?", "/?")) : undefined;
    /** Its duration is in milliseconds; the reply is an error if it is not the service's. */
    return { host, ...found, slashed: slashed?.reply };
  } finally {
    route.close();
  }
}
