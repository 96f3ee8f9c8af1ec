import { isRead } from "../contract/request.ts";
import type { Service, ShownRecord } from "../contract/service.ts";
import type { ProbeTarget } from "../probe/session.ts";
import type { ConfigAccess, Keys } from "./config.ts";
import type { Engines } from "./engines.ts";
import { createAnnouncer } from "./layers/announce.ts";
import type { Journal } from "./layers/journal.ts";
import { type Endpoint, type Layer, throughLayers } from "./layers/layer.ts";
import { createProtection } from "./layers/protect.ts";
import type { Shared } from "./process.ts";
import { createRemotes } from "./remote.ts";
import { throwingRefusals } from "../service/refusals.ts";

/** Creates the chosen service, which its first operation opens, and the access to it beyond its operations. */
export function createTarget(
  shared: Shared,
  config: ConfigAccess,
  keys: Keys,
  engines: () => Engines,
) {
  const { settings, runtime, output, secrets, cleanups } = shared;
  const { baseUrl } = settings;
  const protection = createProtection(settings);
  const announcer = createAnnouncer(settings, output);
  const { journal, journaled, senderIdOf, groupsOf } = createLateJournal(shared, engines);
  const remotes = createRemotes(shared, config, keys, {
    beforeChange: protection.refuseServiceChange,
    ownUpdates: async (group) => (await journal()).ownUpdates(group),
  });
  const respond: Endpoint["send"] = async (request) => {
    if (!isRead(request.method)) protection.refuseServiceChange();
    return engines().respond(request);
  };
  const dryRun = (url: string | undefined): Layer => dryRunAt(url, shared, config);

  /**
   * What each request passes, in this order. Protection refuses before a key command runs, or a database or a connection is
   * opened. A service is opened before it is named, so that a missing key is said alone. It is named before anything is
   * changed. The journal is the last, because it notes what was there just before, and what came of it.
   */
  const layers: readonly Layer[] = [
    protection.layer,
    ...(baseUrl === undefined ? [] : [remotes.connected]),
    announcer.layer,
    journaled,
  ];
  const endpoint =
    baseUrl === undefined ? { service: engines().late, send: respond } : remotes.endpoint;
  const real = throughLayers(endpoint, layers);
  // A dry run ends a request before it meets anything else.
  const chosen = settings.dryRun ? throughLayers(real, [dryRun(baseUrl)]) : real;

  const target = {
    /** The service even with `--dry-run`, for commands whose dry run reads and shows a plan. */
    service: throwingRefusals(real.service),
    /** Sends any request and returns the unchanged response. */
    send: chosen.send,
    /** Names the target on stderr, unless that was done before. The first write to a remote service does it, too. */
    announce: announcer.service,
    senderIdOf,
    groupsOf,
    journal,
    /** Declares what the command changes. Without it, every change is a defect. */
    willChange: protection.willChange,
    isTrial: protection.isTrial,
    /** Called before the database is changed, even if a service is chosen. Names it on stderr, if that is a terminal. */
    beforeDatabase: async (): Promise<void> => {
      protection.requireDeclaration();
      await announcer.database();
    },
    /** Called before a question. Names the target of a command that changes it, so that nobody answers for another one. */
    beforeQuestion: async (): Promise<void> => {
      const scope = protection.declared();
      if (scope !== undefined)
        await (scope === "service" ? announcer.chosen : announcer.database)();
    },
    /** Returns the service for a probe: single requests, also without its key. @throws SendctlError "auth", "usage" */
    probe: async (): Promise<ProbeTarget> => {
      const { remoteProbeTarget } = await import("./probe-target.ts");
      return remoteProbeTarget(await remotes.chosenSettings(), runtime, cleanups);
    },
    /** Checks a base URL that is not configured yet. @throws SendctlError "usage" for an invalid one */
    checkBaseUrl: async (url: string): Promise<void> => {
      const { readBaseUrl } = await import("../client/http/route.ts");
      readBaseUrl(url, settings.insecureHttp);
    },
    /** Opens another remote service, which is not configured yet. @throws SendctlError "usage" */
    serviceAt: async (url: string, key: string): Promise<Service> => {
      secrets.addKey(key);
      const opened = settings.dryRun
        ? throughLayers(remotes.endpoint, [dryRun(url)])
        : await remotes.openAt(url, key);
      return throwingRefusals(opened.service);
    },
  };
  return { service: throwingRefusals(chosen.service), target };
}

/** Creates the journal when it is first needed, because most commands only read. */
function createLateJournal(shared: Shared, engines: () => Engines) {
  const { settings } = shared;
  /** Returns the name of the sender ID of a group, null without one; undefined if only the service knows it. */
  const senderIdOf = async ({ id }: ShownRecord): Promise<string | null | undefined> =>
    settings.baseUrl === undefined && typeof id === "number"
      ? (await engines().integration()).senderIdOf(id)
      : undefined;
  /** Returns the groups that use a sender ID; undefined if only the service knows them. */
  const groupsOf = async (senderId: string): Promise<readonly object[] | undefined> =>
    settings.baseUrl === undefined ? (await engines().integration()).groupsOf(senderId) : undefined;
  let opened: Promise<Journal> | undefined;
  const journal = (): Promise<Journal> =>
    (opened ??= import("./layers/journal.ts").then(({ createJournal }) =>
      createJournal(shared, { senderIdOf, groupsOf }),
    ));
  const journaled: Layer = async (call, next) => {
    if (isRead(call.method) || !settings.isJournaled) return next();
    return (await journal()).layer(call, next);
  };
  return { journal, journaled, senderIdOf, groupsOf };
}

/** Returns the layer of a dry run, which is loaded for the first request. @param url of a service, undefined for none */
function dryRunAt(
  url: string | undefined,
  { settings, output }: Shared,
  { behaviourOf }: ConfigAccess,
): Layer {
  const load = async (): Promise<Layer> => {
    const { createDryRun } = await import("./layers/dry-run.ts");
    return createDryRun({ ...settings, baseUrl: url }, await behaviourOf(settings), output);
  };
  let loaded: Promise<Layer> | undefined;
  return async (call, next) => (await (loaded ??= load()))(call, next);
}
