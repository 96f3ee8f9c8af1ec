import { type Reply, type Service } from "../contract/service.ts";
import { contentHeaders, type Request } from "../contract/request.ts";
import type { Envelope } from "../contract/records.ts";
import type { Embedded } from "../engine/embedded.ts";
import { SendctlError } from "../contract/error.ts";
import type { InjectedFault } from "../contract/injected-fault.ts";
import { safeText } from "../output/safe-text.ts";
import type { Write } from "../output/writer.ts";
import {
  answer,
  answerOutside,
  isOfService,
  refuseLongBody,
  splitTarget,
  type ServedResponse,
} from "../server/answer.ts";
import { createFaultInjector } from "../server/inject-faults.ts";
import { longestBody } from "../server/read-request.ts";
import { createRateLimit } from "../server/rate-limit.ts";
import { startServer, type RunningServer } from "../server/server.ts";
import type { RequestLogEntry } from "../server/server-options.ts";
import type { Runtime } from "../runtime/runtime.ts";

export interface ServingOptions {
  readonly host: string;
  readonly port: number;
  /** Requests a second a key; undefined for any number. */
  readonly rateLimit: number | undefined;
  /** Requests that are carried out at the same time; what comes beyond them is sent away with a 503. */
  readonly mostAtOnce?: number;
  /** What goes wrong on purpose. */
  readonly faults?: readonly InjectedFault[];
  /** Milliseconds after which a sender ID is approved; undefined for never. */
  readonly autoApproveAfter?: number | undefined;
  /** Called for each request that was answered. */
  readonly served: (served: RequestLogEntry) => void;
}

export interface Serving extends RunningServer {
  readonly engine: Embedded;
}

/** Requests that a server carries out at the same time, where nothing else is said. */
const usualMostAtOnce = 1000;

/** How long a server waits for other processes, in milliseconds: it can do nothing else meanwhile. */
export const drainTimeout = 2000;

const encoder = new TextEncoder();

/** The OpenAPI document of the server, once it was asked for. */
let document: Promise<string> | undefined;

async function openApi(): Promise<string> {
  document ??= import("../openapi/document.ts").then(({ openApiDocument, thisServer }) =>
    JSON.stringify(openApiDocument(thisServer)),
  );
  return document;
}

/** The engine's answer to a request as its server would give it, without a port. */
export async function answerInProcess(
  engine: Embedded,
  service: Service,
  request: Request,
): Promise<Reply> {
  const answered = await answerWithoutPort(engine, service, request);
  const text = request.method === "HEAD" ? "" : answered.text;
  const envelope = text === "" ? undefined : (JSON.parse(text) as Envelope);
  return { status: answered.status, text, envelope };
}

async function answerWithoutPort(
  { checkHealth }: Embedded,
  service: Service,
  request: Request,
): Promise<ServedResponse> {
  const [pathname] = splitTarget(request.path);
  if (!isOfService(pathname)) {
    return answerOutside(request.method, pathname, { checkHealth, openApi });
  }
  const body = encoder.encode(request.body);
  if (body.length > longestBody) return refuseLongBody();
  return answer(service, {
    method: request.method,
    target: request.path,
    contentType: contentHeaders(request)["Content-Type"],
    body,
  });
}

/**
 * The engine on a port.
 *
 * @throws SendctlError "usage" where the host or port cannot be used
 */
export async function startServing(
  engine: Embedded,
  options: ServingOptions,
  runtime: Runtime,
  complain: Write,
): Promise<Serving> {
  const { host, port, rateLimit, faults = [], autoApproveAfter, served } = options;
  const { mostAtOnce = usualMostAtOnce } = options;
  const defect = (error: unknown): void =>
    void complain(`sendctl: A defect in sendctl: ${safeText(String(error))}\n`);
  const approval =
    autoApproveAfter === undefined
      ? undefined
      : engine.approveAfter(autoApproveAfter, runtime.elapsed, defect);
  try {
    const server = await startServer({
      host,
      port,
      callerOf:
        approval !== undefined && autoApproveAfter === 0
          ? withApproval(engine.callerOf, approval.approve)
          : engine.callerOf,
      checkHealth: engine.checkHealth,
      mostAtOnce,
      rateLimit: rateLimit === undefined ? undefined : createRateLimit(rateLimit, runtime.elapsed),
      faults: faults.length === 0 ? undefined : createFaultInjector(faults),
      openApi,
      served,
      defect,
      elapsed: runtime.elapsed,
    });
    approval?.start();
    const stop = async (): Promise<void> => {
      await server.stop();
      await approval?.stop();
    };
    return { ...server, stop, engine };
  } catch (error) {
    throw portFailure(error, host, port);
  }
}

/** What was created is approved by the time its answer, which says PENDING, arrives. */
function withApproval(
  callerOf: Embedded["callerOf"],
  approve: () => Promise<void>,
): Embedded["callerOf"] {
  return async (key) => {
    const caller = await callerOf(key);
    if (caller === undefined) return undefined;
    const create: Service["sender-id.create"] = async (input) => {
      const reply = await caller.service["sender-id.create"](input);
      await approve();
      return reply;
    };
    return { ...caller, service: { ...caller.service, "sender-id.create": create } };
  };
}

function portFailure(error: unknown, host: string, port: number): unknown {
  const noAddress = [`${host} has no address`, "name another with --host", "--host"];
  const meanings: Readonly<Record<string, readonly string[]>> = {
    EADDRINUSE: [
      `port ${port} of ${host} is in use`,
      "name another with --port, or 0 for any free port",
      "--port",
    ],
    EACCES: [`permission denied for port ${port}`, "name a port above 1023 with --port", "--port"],
    EADDRNOTAVAIL: [
      `${host} is not an address of this machine`,
      "name another with --host",
      "--host",
    ],
    EAI_AGAIN: noAddress,
    ENOTFOUND: noAddress,
  };
  const [message, hint, setting = ""] = meanings[(error as NodeJS.ErrnoException).code ?? ""] ?? [];
  if (message === undefined) return error;
  return new SendctlError("usage", message, { hint, setting, cause: error });
}
