import type { OperationName } from "../contract/operations.ts";
import type { Request } from "../contract/request.ts";
import { checkLine, SendctlError, type Check } from "../contract/error.ts";
import { shellWord } from "../contract/text/shell-word.ts";
import type { HttpResponse, LostResponse } from "./http/attempt.ts";
import type { RemoteOptions } from "./options.ts";
import { explainLost } from "./http/explain.ts";
import { redirectText } from "./http/redirect.ts";
import { isWrite } from "./writes/write-outcome.ts";

export const mayHaveSucceeded = "The request may have succeeded";

/** Creates the errors of requests to one service. `check` is the command that shows whether a write succeeded. */
export interface Errors {
  /** For requests that cannot have changed anything. */
  readonly noResponse: (lost: LostResponse) => SendctlError;
  readonly unknown: (
    outcome: HttpResponse | LostResponse,
    lostBefore: boolean,
    check: Check,
  ) => SendctlError;
  readonly interrupted: (request: Request, mayBeDone: boolean, check: Check) => SendctlError;
}

export function createErrors({
  base,
  route,
  signal,
}: Pick<RemoteOptions, "base" | "route" | "signal">): Errors {
  const { host } = base;

  const unknownText = (outcome: HttpResponse | LostResponse, lostBefore: boolean): string => {
    if ("error" in outcome) return explainLost(outcome, host, route.via).message;
    const { status } = outcome;
    if (status === 303) return redirectText(outcome, base);
    if (lostBefore) return `an earlier response of ${host} was lost, then it sent HTTP ${status}`;
    return status < 300
      ? `${host} sent HTTP ${status} without a record`
      : `unexpected response from ${host} (HTTP ${status}): not a response of the service`;
  };

  return {
    noResponse: (lost) => {
      const { message, hint } = explainLost(lost, host, route.via);
      const kind = isNotHttp(lost) ? "unexpected_response" : "unavailable";
      return new SendctlError(kind, message, { hint });
    },
    unknown: (outcome, lostBefore, check) =>
      new SendctlError(
        "outcome_unknown",
        `${unknownText(outcome, lostBefore)}. ${mayHaveSucceeded}`,
        {
          hint: checkLine(check),
          check,
          ...("error" in outcome ? {} : { httpStatus: outcome.status }),
        },
      ),
    interrupted: ({ method }, mayBeDone, check) => {
      const kind = signal.reason === "SIGTERM" ? "terminated" : "cancelled";
      if (!isWrite(method) || !mayBeDone) {
        return new SendctlError(kind, "Interrupted: nothing was changed");
      }
      const details = { hint: checkLine(check), check };
      return new SendctlError(kind, `Interrupted. ${mayHaveSucceeded}`, details);
    },
  };
}

/** Returns the error for a write with an unknown outcome whose lookup failed or was interrupted. */
export function afterLoss(unknown: SendctlError, failure: unknown): unknown {
  if (!(failure instanceof SendctlError)) return failure;
  if (failure.kind !== "cancelled" && failure.kind !== "terminated") return unknown;
  const { message, hint, check } = unknown;
  const details = { hint, check, cause: failure };
  return new SendctlError(failure.kind, `Interrupted. ${message}`, details);
}

/** Returns whether data arrived that is not valid HTTP. */
function isNotHttp({ error }: LostResponse): boolean {
  return error.code?.startsWith("HPE_") === true;
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Returns the command that shows whether a write succeeded. */
export function checkCommand(
  name: OperationName,
  input: AnyInput,
  { targetOptions = [] }: RemoteOptions,
): Check {
  const options = [...targetOptions];
  const given = input.body?.["name"];
  // An invalid body may have any value here, even one without a text.
  const named = typeof given === "string" ? given : "NAME";
  if (name === "group.create") {
    return { command: "sendctl group list", keys: [], options: [...nameOption(named), ...options] };
  }
  const key = input.path?.["id"] ?? input.path?.["name"] ?? named;
  const command = `sendctl ${name.slice(0, name.indexOf("."))} fetch`;
  // After "--" a key that begins with a dash is not read as an option.
  return key.startsWith("-")
    ? { command, keys: [], options: [...options, "--", shellWord(key)] }
    : { command, keys: [shellWord(key)], options };
}

/** Returns the command that shows whether a request succeeded. */
export function checkRequest({ path }: Request, { targetOptions = [] }: RemoteOptions): Check {
  return { command: "sendctl api GET", keys: [shellWord(path)], options: targetOptions };
}

function nameOption(name: string): readonly string[] {
  return name.startsWith("-") ? [`--name=${shellWord(name)}`] : ["--name", shellWord(name)];
}
