import { openRemote, type RemoteSettings } from "../client/client.ts";
import { isRead } from "../contract/request.ts";
import type { RecordIdentity, Reply } from "../contract/service.ts";
import { isStop, SendctlError, stoppedBy, type ErrorKind } from "../core/error.ts";
import type { Runtime } from "../core/runtime.ts";
import { idOf, Unknown, type ProbeTarget } from "../probe/requests.ts";
import { eachRecord } from "../service/read-list.ts";
import type { Cleanups } from "./process.ts";

const check = { command: "sendctl probe --clean", keys: [], options: [] };

/**
 * Returns a remote service as the target of a probe.
 *
 * @throws SendctlError "auth" without a key, "usage" for an invalid key or address
 */
export async function remoteProbeTarget(
  settings: RemoteSettings,
  { onStop, sleep }: Pick<Runtime, "onStop" | "sleep">,
  cleanups: Cleanups,
): Promise<ProbeTarget> {
  const [stop, abandon] = [new AbortController(), new AbortController()];
  cleanups.push(onStop((signal) => (stop.signal.aborted ? abandon : stop).abort(signal)));
  const open = async ({ signal }: AbortController) => {
    // Nothing is said about single requests.
    const client = await openRemote({
      ...settings,
      signal,
      isPatient: false,
      note: async () => {},
    });
    cleanups.push(client.close);
    return client;
  };
  const [reading, writing] = [await open(stop), await open(abandon)];
  const { service } = writing;
  return {
    stop: stop.signal,
    pause: (milliseconds) => sleep(milliseconds, abandon.signal).catch(() => {}),
    send: async (request) => {
      const isReading = isRead(request.method);
      try {
        const performed = await (isReading ? reading : writing).perform(request, check);
        if ("unknown" in performed) throw performed.unknown;
        return performed.response;
      } catch (error) {
        if (!(error instanceof SendctlError)) throw error;
        const { kind, message } = error;
        if (isReading && isStop(kind)) throw stoppedBy(stop.signal.reason);
        if (isStop(kind)) throw new Unknown("interrupted", true);
        if (!lostKinds.has(kind)) throw error;
        throw new Unknown(message, kind !== "unavailable");
      }
    },
    eachGroup: (take) => eachRecord((query) => service["group.list"]({ query }), take),
    remove: async (group) => {
      const { status, headers } = await byIdOrUuid(group, (id) =>
        service["group.delete"]({ path: { id }, expected: group }),
      );
      // Without headers, the response was lost and the group is gone.
      return headers && status;
    },
  };
}

/** Errors of requests without a usable response: a body over 64 MiB is "unexpected_response". */
const lostKinds: ReadonlySet<ErrorKind> = new Set([
  "unavailable",
  "outcome_unknown",
  "unexpected_response",
]);

/** Sends a request for a group by its id, and by its uuid if the service does not find the id. */
export async function byIdOrUuid(
  group: RecordIdentity,
  send: (key: string) => Promise<Reply>,
): Promise<Reply> {
  const { uuid } = group;
  return send(idOf(group)!).catch(async (error: unknown) => {
    const isOpen = !(error instanceof SendctlError) || isStop(error.kind);
    if (isOpen || error.kind === "outcome_unknown" || typeof uuid !== "string") throw error;
    return send(uuid).catch(() => {
      throw error;
    });
  });
}
