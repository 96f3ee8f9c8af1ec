import { randomBytes } from "node:crypto";
import type { Reply } from "../contract/service.ts";
import type { Request } from "../contract/request.ts";
import type { ProbeKey, ProbeTarget } from "../probe/target.ts";
import type { SingleSender } from "../remote/single.ts";
import type { Runtime } from "../runtime/runtime.ts";

type Surroundings = Pick<Runtime, "onStop" | "sleep">;

/** Returns random hexadecimal digits. */
function hex(digits: number): string {
  return randomBytes(Math.ceil(digits / 2))
    .toString("hex")
    .slice(0, digits);
}

/** Returns what the first and the second signal abort. @param closers functions to call at the end of the command */
function signals(
  { onStop }: Surroundings,
  closers: (() => void)[],
): Pick<ProbeTarget, "stop" | "abandon"> {
  const stop = new AbortController();
  const abandon = new AbortController();
  closers.push(
    onStop((signal) => {
      if (stop.signal.aborted) abandon.abort(signal);
      else stop.abort(signal);
    }),
  );
  return { stop: stop.signal, abandon: abandon.signal };
}

/** Returns a remote service as the target of a probe. @param name for messages */
export function remoteProbeTarget(
  sender: SingleSender,
  name: string,
  runtime: Surroundings,
  closers: (() => void)[],
): ProbeTarget {
  const keys: Readonly<Record<ProbeKey, string | undefined>> = {
    own: sender.key,
    none: undefined,
    unknown: hex(40),
  };
  return {
    name,
    isHttp: true,
    ...signals(runtime, closers),
    sleep: runtime.sleep,
    hex,
    send: (request, key, signal) => sender.send(request, keys[key], signal),
  };
}

/** Returns the engine in this process as the target of a probe. @param respond responds to a request */
export function embeddedProbeTarget(
  respond: (request: Request) => Promise<Reply>,
  name: string,
  runtime: Surroundings,
  closers: (() => void)[],
): ProbeTarget {
  return {
    name,
    isHttp: false,
    ...signals(runtime, closers),
    sleep: runtime.sleep,
    hex,
    send: async (request) => {
      const { status, text } = await respond(request);
      return { status, text, headers: {} };
    },
  };
}
