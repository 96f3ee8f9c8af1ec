import type { OpenRemote, RemoteSettings } from "../client/client.ts";
import type { RemoteOptions } from "../client/calls.ts";
import { keyHint, targetOptions } from "../config/target.ts";
import { serviceOf, type OperationHandler } from "../contract/service.ts";
import { shellWord } from "../core/text.ts";
import { createWaiting, sayRetries } from "../output/status/progress.ts";
import { defaultWidth } from "../output/terminal.ts";
import type { ConfigAccess, Keys } from "./config.ts";
import type { Endpoint, Layer } from "./layers/layer.ts";
import { clientTools, once, type Shared } from "./process.ts";

/**
 * Creates the access to remote services: the chosen one, and others.
 *
 * @param hooks `beforeChange` is called before each request that changes the service
 */
export function createRemotes(
  shared: Shared,
  { behaviourOf }: ConfigAccess,
  keys: Keys,
  { beforeChange, recent }: Required<Pick<RemoteSettings, "beforeChange" | "recent">>,
) {
  const { settings, runtime, output, cleanups } = shared;
  const { baseUrl, insecureHttp } = settings;

  /** Returns what shows that a request takes long; undefined with --debug, which shows more than that. */
  async function watchOf(url: string): Promise<RemoteOptions["watch"]> {
    if (settings.quiet || settings.debug) return undefined;
    if (!output.isStderrTerminal()) return sayRetries(output.say);
    const { elapsed, stderr } = runtime;
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    const columns = (): number => stderr.columns || defaultWidth;
    return createWaiting({ target: origin, elapsed, columns, line: output.statusLine() });
  }

  async function settingsFor(url: string, key: string | undefined): Promise<RemoteSettings> {
    return {
      ...clientTools(shared),
      baseUrl: url,
      key,
      insecureHttp,
      env: runtime.env,
      timeout: settings.timeout,
      retries: settings.retries,
      isPatient: settings.sources.retries === "default",
      watch: await watchOf(url),
      beforeChange,
      behaviour: url === baseUrl ? await behaviourOf(settings) : {},
    };
  }

  /** Returns the settings of the chosen service, with what hints of its errors name. */
  async function chosenSettings(): Promise<RemoteSettings> {
    return {
      ...(await settingsFor(baseUrl!, await keys.remote())),
      recent,
      // They select the same service again in a command to paste.
      targetOptions: [
        ...targetOptions(settings, false),
        ...(insecureHttp ? ["--insecure-http"] : []),
      ].map(shellWord),
      keyHint: keyHint(settings),
      isOfProfile: settings.sources.baseUrl === "profile",
    };
  }

  async function open(given: RemoteSettings): Promise<OpenRemote> {
    const { openRemote } = await import("../client/client.ts");
    const opened = await openRemote(given);
    if (runtime.leavesConnections !== true) cleanups.push(opened.close);
    return opened;
  }

  /** Opens the chosen service. @throws SendctlError "usage" for an invalid URL, "auth" for an invalid key */
  const connect = once(() => chosenSettings().then(open));
  const endpoint: Endpoint = {
    service: serviceOf((name) => async (input) => {
      const operate: OperationHandler = (await connect()).service[name];
      return operate(input);
    }),
    send: async (request) => (await connect()).send(request),
    hintFor: async (path, reply) => (await connect()).hintFor(path, reply),
  };
  const connected: Layer = async (_, next) => {
    await connect();
    return next();
  };
  return {
    chosenSettings,
    /** The chosen service, which its first request opens. */
    endpoint,
    /** Opens the chosen service before anything else happens. */
    connected,
    /** Opens another service. */
    openAt: async (url: string, key: string): Promise<OpenRemote> =>
      open(await settingsFor(url, key)),
  };
}
