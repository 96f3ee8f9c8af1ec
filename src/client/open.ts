import { SendctlError } from "../core/error.ts";
import { readBaseUrl } from "./http/base-url.ts";
import { createRemote, type Remote } from "./client.ts";
import type { RemoteOptions } from "./options.ts";
import { createPerformer, type Performer } from "./perform.ts";
import { routeTo } from "./http/proxy.ts";

/** Settings from which the composition root opens a remote service. */
export interface RemoteSettings extends Omit<RemoteOptions, "base" | "key" | "route"> {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly insecureHttp: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A remote service with connections to close. */
export interface OpenRemote extends Remote {
  readonly close: () => void;
}

/** Keys that are valid in a header. */
export const headerText = /^[\x21-\x7e]+$/;

/** Returns what a service is opened with. @throws SendctlError "auth" without a key, "usage" for an invalid key or address */
async function optionsOf(settings: RemoteSettings): Promise<RemoteOptions> {
  const { baseUrl, key, insecureHttp, env, ...options } = settings;
  const { keyHint = "sendctl login, or set SENDCTL_SECRET_KEY" } = options;
  const base = readBaseUrl(baseUrl, insecureHttp);
  if (key === undefined) {
    throw new SendctlError("auth", `no key is configured for ${base.host}`, { hint: keyHint });
  }
  if (!headerText.test(key)) {
    throw new SendctlError(
      "usage",
      "SENDCTL_SECRET_KEY contains white space or characters that a header cannot carry",
      { hint: "set it to the key only", setting: "SENDCTL_SECRET_KEY" },
    );
  }
  return { ...options, base, key, route: await routeTo(base, env) };
}

/** Opens a remote service. @throws SendctlError "auth" without a key, "usage" for an invalid key or address */
export async function openRemote(settings: RemoteSettings): Promise<OpenRemote> {
  const options = await optionsOf(settings);
  return { ...createRemote(options), close: () => options.route.agent.destroy() };
}

/** Opens a remote service whose responses are not interpreted. @throws SendctlError as `openRemote` */
export async function openPerformer(
  settings: RemoteSettings,
): Promise<Performer & { readonly host: string; readonly close: () => void }> {
  const options = await optionsOf(settings);
  return {
    ...createPerformer(options),
    host: options.base.host,
    close: () => options.route.agent.destroy(),
  };
}
