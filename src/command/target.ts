import { databaseName, keyHint, targetName, targetOptions } from "../config/target.ts";
import type { OpenRemote, RemoteSettings } from "../client/client.ts";
import type { RemoteOptions } from "../client/calls.ts";
import { operations, type OperationName } from "../contract/operations.ts";
import { isRead, type AnyInput, type Request } from "../contract/request.ts";
import {
  serviceOf,
  type OperationHandler,
  type Reply,
  type Service,
  type ShownRecord,
} from "../contract/service.ts";
import { safeText, shellWord } from "../core/text.ts";
import { defaultWidth } from "../output/terminal.ts";
import type { ProbeTarget } from "../probe/session.ts";
import type { DryRun } from "./dry-run.ts";
import type { Engines } from "./engines.ts";
import type { ConfigAccess, Keys } from "./config.ts";
import { refuseChange, type Scope } from "../config/settings.ts";
import type { Recorder, Write } from "./recording.ts";
import { clientTools, type Shared } from "./process.ts";

/** Access to the chosen service beyond `service`. */
export type Target = ReturnType<typeof createTarget>["target"];

/** Creates the chosen service, which its first operation opens, and the access to it. */
export function createTarget(
  shared: Shared,
  { behaviourOf }: ConfigAccess,
  keys: Keys,
  engines: () => Engines,
) {
  const { settings, runtime, output, secrets, cleanups } = shared;
  const { baseUrl, insecureHttp, dryRun } = settings;

  let announcement: Promise<void> | undefined;
  const name = (target: string, isProtected: boolean): Promise<void> => {
    const line = safeText(`→ ${target}`);
    return (announcement ??= output.say(isProtected ? (style) => style.bad(line) : line));
  };
  /** Names the target on stderr, unless that was done before. The first write to a remote service does it, too. */
  const announce = (): Promise<void> =>
    name(targetName(settings), settings.protection.service !== undefined);
  let declared: Scope | undefined;
  const requireDeclaration = (): void => {
    if (declared === undefined) throw new Error("the command does not declare what it changes");
  };
  const refuseServiceChange = (): void => {
    requireDeclaration();
    refuseChange(settings, "service");
  };
  const announceDatabase = async (): Promise<void> => {
    if (!output.isStderrTerminal()) return;
    await name(databaseName(settings), settings.protection.database !== undefined);
  };

  /** Returns what shows that a request takes long; undefined with --debug, which shows more than that. */
  const watchOf = async (url: string): Promise<RemoteOptions["watch"]> => {
    if (!output.isStderrTerminal() || settings.quiet || settings.debug) return undefined;
    const { createWaiting } = await import("../output/waiting.ts");
    const { elapsed, stderr } = runtime;
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    const columns = (): number => stderr.columns || defaultWidth;
    return createWaiting({ target: origin, elapsed, columns, line: output.statusLine() });
  };
  const settingsFor = async (url: string, key: string | undefined): Promise<RemoteSettings> => ({
    ...clientTools(shared),
    baseUrl: url,
    key,
    insecureHttp,
    env: runtime.env,
    timeout: settings.timeout,
    retries: settings.retries,
    watch: await watchOf(url),
    beforeChange: refuseServiceChange,
    behaviour: url === baseUrl ? await behaviourOf(settings) : {},
  });
  /** Returns the settings of the chosen service, with what hints of its errors name. */
  const chosenSettings = async (url: string): Promise<RemoteSettings> => ({
    ...(await settingsFor(url, await keys.remote())),
    lastUpdate: settings.isJournaled
      ? async (group) => (await recorder()).lastUpdate(group)
      : undefined,
    // They select the same service again in a command to paste.
    targetOptions: [
      ...targetOptions(settings, false),
      ...(insecureHttp ? ["--insecure-http"] : []),
    ].map(shellWord),
    keyHint: keyHint(settings),
  });
  const open = async (given: RemoteSettings): Promise<OpenRemote> => {
    const { openRemote } = await import("../client/client.ts");
    const opened = await openRemote(given);
    if (runtime.leavesConnections !== true) cleanups.push(opened.close);
    return opened;
  };
  let remote: Promise<OpenRemote> | undefined;
  const connect = (url: string): Promise<OpenRemote> => (remote ??= chosenSettings(url).then(open));

  const respondEmbedded = async (request: Request): Promise<Reply> => {
    const { respondInProcess } = await import("../server/serve.ts");
    if (!isRead(request.method)) refuseServiceChange();
    return respondInProcess(await engines().engine(), await engines().service(), request);
  };
  const embeddedService = async (): Promise<Service> => {
    const { changed, behaviour } = await engines().engine();
    if (Object.keys(changed).length === 0) return engines().service();
    const { embeddedClient } = await import("./probe-target.ts");
    return embeddedClient(behaviour, respondEmbedded, clientTools(shared));
  };
  /** Returns the name of the sender ID of a group, null without one; undefined if only the service knows it. */
  const senderIdOf = async ({ id }: ShownRecord): Promise<string | null | undefined> =>
    baseUrl === undefined && typeof id === "number" ? engines().senderIdOf(id) : undefined;
  let recording: Promise<Recorder> | undefined;
  /** Returns what journals the changes of the service. Loaded late, because most commands only read. */
  const recorder = (): Promise<Recorder> =>
    (recording ??= import("./recording.ts").then(({ createRecorder }) =>
      createRecorder(shared, { senderIdOf, groupsOf: (name) => engines().groupsOf(name) }),
    ));
  /** Carries out a write and journals it. @param fetch reads its record */
  const journaled = async (
    write: Write,
    send: () => Promise<Reply>,
    fetch: () => Promise<Reply>,
  ): Promise<Reply> => {
    if (!settings.isJournaled) return send();
    const { record } = await recorder();
    return record(write, send, fetch);
  };
  const openService = async (name: OperationName): Promise<Service> => {
    const isRead = operations[name].method === "GET";
    // Refused before a database is created or a key command runs.
    if (!isRead) refuseServiceChange();
    if (baseUrl === undefined) {
      if (!isRead) await announceDatabase();
      return embeddedService();
    }
    const { service } = await connect(baseUrl);
    if (!isRead) await announce();
    return service;
  };
  const chosenService = serviceOf((name) => async (input) => {
    const service = await openService(name);
    const operation: OperationHandler = service[name];
    const { method, path, resource } = operations[name];
    if (method === "GET") return operation(input);
    const { body, path: keys }: AnyInput = input;
    const fetch: OperationHandler = service[`${resource}.fetch`];
    return journaled(
      { method, path, body },
      () => operation(input),
      () => fetch({ path: keys } as never),
    );
  });
  const dryRunAt = async (url = baseUrl): Promise<DryRun> => {
    const { createDryRun } = await import("./dry-run.ts");
    return createDryRun({ ...settings, baseUrl: url }, await behaviourOf(settings), output);
  };
  const dryRunService = serviceOf((name) => async (input) => {
    const operation: OperationHandler = (await dryRunAt()).service[name];
    return operation(input);
  });
  const target = {
    /** The service even with `--dry-run`, for commands whose dry run reads and shows a plan. */
    service: chosenService,
    announce,
    senderIdOf,
    recorder,
    /**
     * Declares what the command changes. Without it, every change is a defect.
     *
     * @throws SendctlError "usage" if it is read-only
     */
    willChange: (scope: Scope): void => {
      if (dryRun && scope === "service") return;
      refuseChange(settings, scope);
      declared = scope;
    },
    /** Called before the database is changed, even if a service is chosen. Names it on stderr, if that is a terminal. */
    beforeDatabase: async (): Promise<void> => {
      requireDeclaration();
      await announceDatabase();
    },
    /** Called before a question. Names the target of a command that changes it, so that nobody answers for another one. */
    beforeQuestion: async (): Promise<void> => {
      if (declared === undefined) return;
      await (declared === "service" && baseUrl !== undefined ? announce() : announceDatabase());
    },
    /** Sends any request and returns the unchanged response. */
    send: async (request: Request): Promise<Reply> => {
      if (dryRun) return (await dryRunAt()).send(request);
      if (baseUrl === undefined && !isRead(request.method)) await announceDatabase();
      const send = baseUrl === undefined ? respondEmbedded : (await connect(baseUrl)).send;
      if (baseUrl !== undefined && !isRead(request.method)) {
        refuseServiceChange();
        await announce();
      }
      const carryOut = (): Promise<Reply> => send(request);
      const read = { method: "GET", path: request.path, body: undefined };
      return isRead(request.method) ? carryOut() : journaled(request, carryOut, () => send(read));
    },
    /** Returns the service for a probe: single requests, also without its key. @throws SendctlError "auth", "usage" */
    probe: async (): Promise<ProbeTarget> => {
      const { embeddedProbeTarget, remoteProbeTarget } = await import("./probe-target.ts");
      return baseUrl === undefined
        ? embeddedProbeTarget(respondEmbedded, targetName(settings), runtime, cleanups)
        : remoteProbeTarget(await chosenSettings(baseUrl), runtime, cleanups);
    },
    /** Checks a base URL that is not configured yet. @throws SendctlError "usage" for an invalid one */
    checkBaseUrl: async (url: string): Promise<void> => {
      const { readBaseUrl } = await import("../client/http/route.ts");
      readBaseUrl(url, insecureHttp);
    },
    /** Opens another remote service, which is not configured yet. @throws SendctlError "usage" */
    serviceAt: async (url: string, key: string): Promise<Service> => {
      secrets.addKey(key);
      const { service } = await (dryRun ? dryRunAt(url) : open(await settingsFor(url, key)));
      return service;
    },
  };
  return { service: dryRun ? dryRunService : chosenService, target };
}
