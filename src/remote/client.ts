import { operations, type OperationName } from "../contract/operations.ts";
import { contentHeaders, requestOf, type Request } from "../contract/request.ts";
import {
  serviceOf,
  succeeded,
  type Reply,
  type SenderIdFields,
  type Service,
} from "../contract/service.ts";
import { SendctlError, type ErrorKind } from "../contract/error.ts";
import { attempt, type Answer, type Lost } from "./attempt.ts";
import { pathOn } from "./base-url.ts";
import { decode, decodeOperation } from "./decode.ts";
import { explainLost } from "./explain.ts";
import type { Route } from "./proxy.ts";
import { mayTryAgain, waitBefore } from "./retry.ts";

export interface RemoteOptions {
  readonly base: URL;
  readonly key: string;
  /** Of one attempt, in milliseconds. */
  readonly timeout: number;
  /** Attempts after the first. */
  readonly retries: number;
  readonly route: Route;
  /** Stops whatever is under way. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment, never set back. */
  readonly elapsed: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Fulfilled after so many milliseconds, rejected when the signal stops it. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Takes out of a text what must never be shown. */
  readonly hide: (text: string) => string;
  /** What is done, line by line, for `--debug`. */
  readonly log: (line: string) => Promise<void>;
  /** What a person should know although it went well. */
  readonly note: (line: string) => Promise<void>;
}

export interface Remote {
  readonly service: Service;
  /** Any request, as it is; its answer, whatever it is. */
  readonly send: (request: Request) => Promise<Reply>;
}

/** What became of a request, over all its attempts. */
interface Performed {
  readonly answer: Answer;
  /** An attempt before the last got no answer, and may have been carried out. */
  readonly lostBefore: boolean;
}

/**
 * The service over HTTP: specification, part 4, and "Remote behaviour" of the command-line contract.
 *
 * Each operation throws a SendctlError: "unavailable" when nothing was changed and no answer came, "outcome_unknown"
 * when a write may have been carried out, "unexpected_response" for an answer that is not the service's, "cancelled".
 */
export function createRemote(options: RemoteOptions): Remote {
  const { host } = options.base;

  /** @param check the command that shows whether the request was carried out */
  async function perform(request: Request, check: string): Promise<Performed> {
    const sending = {
      method: request.method,
      url: options.base,
      path: pathOn(options.base, request.path),
      headers: { Authorization: `Bearer ${options.key}`, ...contentHeaders(request) },
      body: request.body,
    };
    let lostBefore = false;
    for (let attempts = 1; ; attempts += 1) {
      const begun = options.elapsed();
      await options.log(`> ${sending.method} ${sending.url.origin}${sending.path}`);
      await options.log("> Authorization: Bearer [hidden]");
      for (const [name, value] of Object.entries(contentHeaders(request))) {
        await options.log(`> ${name}: ${value}`);
      }
      const { timeout, signal, route } = options;
      const outcome = await attempt(sending, { timeout, signal, route });
      await options.log(outcomeLine(outcome, options.elapsed() - begun));
      const isLost = "error" in outcome;
      if (signal.aborted) {
        throw interrupted(request, isLost && outcome.unsent && !lostBefore, check);
      }
      const again = attempts <= options.retries && mayTryAgain(request.method, outcome);
      const wait = again
        ? waitBefore(outcome, attempts, options.now(), options.random())
        : undefined;
      if (isLost && !outcome.unsent) lostBefore = true;
      if (wait === undefined) {
        if (!isLost && lostBefore && isUnsure(request, outcome)) throw unsure(outcome, check);
        if (!isLost) return { answer: withoutKey(outcome), lostBefore };
        throw noResponse(request, outcome, lostBefore, check);
      }
      await options.log(`  attempt ${attempts + 1} follows in ${Math.round(wait)} ms`);
      try {
        await options.sleep(wait, signal);
      } catch {
        throw interrupted(request, !lostBefore, check);
      }
    }
  }

  /** A service that says the key back does not bring it into a table, a question or a file. */
  function withoutKey(answer: Answer): Answer {
    return { ...answer, text: options.hide(answer.text) };
  }

  function noResponse(
    request: Request,
    lost: Lost,
    mayBeDone: boolean,
    check: string,
  ): SendctlError {
    const { message, hint } = explainLost(lost, host, options.route.via);
    const isKnown = request.method === "GET" || !mayBeDone;
    const text = isKnown ? message : `${message}. ${mayHaveSucceeded}`;
    const details = { hint: isKnown ? hint : checkHint(check) };
    if (lost.error.code?.startsWith("HPE_") === true) {
      return new SendctlError("unexpected_response", text, details);
    }
    return new SendctlError(isKnown ? "unavailable" : "outcome_unknown", text, details);
  }

  function unsure({ status }: Answer, check: string): SendctlError {
    const message = `${host} sent no response, then HTTP ${status}. ${mayHaveSucceeded}`;
    const details = { hint: checkHint(check), httpStatus: status };
    return new SendctlError("outcome_unknown", message, details);
  }

  function interrupted({ method }: Request, isUnsent: boolean, check: string): SendctlError {
    const kind = options.signal.reason === "SIGTERM" ? "terminated" : "cancelled";
    if (method === "GET" || isUnsent) {
      return new SendctlError(kind, "Interrupted: nothing was changed");
    }
    const details = { hint: checkHint(check) };
    return new SendctlError(kind, `Interrupted. ${mayHaveSucceeded}`, details);
  }

  async function call(name: OperationName, input: AnyInput): Promise<Reply> {
    const request = requestOf(name, input);
    const { answer, lostBefore } = await perform(request, checkCommand(name, input));
    if (answer.status === 404 && lostBefore && request.method === "DELETE") {
      await options.note("an earlier attempt got no response; the record no longer exists");
      return deleted(name);
    }
    // No Content is an answer without an envelope by its nature, and says all that a delete has to.
    if (answer.status === 204 && request.method === "DELETE") return deleted(name);
    return decodeOperation(name, answer, host, options.now());
  }

  /** A create whose answer was lost is looked up by its name before it is called unknown. */
  async function createSenderId(input: { readonly body: SenderIdFields }): Promise<Reply> {
    try {
      return await call("sender-id.create", input);
    } catch (error) {
      if (!(error instanceof SendctlError) || error.kind !== "outcome_unknown") throw error;
      const found = await lookUp(input.body.name);
      const record = found?.envelope?.data as { readonly purpose?: unknown } | undefined;
      if (found === undefined || record?.purpose !== input.body.purpose) throw error;
      await options.note("the response was lost; a lookup shows that the sender ID exists");
      return found;
    }
  }

  async function lookUp(name: string): Promise<Reply | undefined> {
    try {
      const found = await call("sender-id.fetch", { path: { name } });
      return succeeded(found) ? found : undefined;
    } catch (error) {
      if (error instanceof SendctlError && stopKinds.has(error.kind)) {
        const hint = checkHint(checkCommand("sender-id.fetch", { path: { name } }));
        throw new SendctlError(error.kind, `Interrupted. ${mayHaveSucceeded}`, {
          hint,
          cause: error,
        });
      }
      return undefined;
    }
  }

  const service = serviceOf((name) => (input: AnyInput) => call(name, input));
  return {
    service: { ...service, "sender-id.create": createSenderId },
    send: async (request) => {
      const { answer } = await perform(request, `sendctl api GET ${shellWord(request.path)}`);
      return decode(answer, host, options.now());
    },
  };
}

const mayHaveSucceeded = "The request may have succeeded";

function checkHint(check: string): string {
  return `check before you retry: ${check}`;
}

/** The service said: not now. It says nothing of the attempt whose answer was lost. */
function isUnsure({ method }: Request, { status }: Answer): boolean {
  return method !== "GET" && (status === 429 || status >= 500);
}

const stopKinds: ReadonlySet<ErrorKind> = new Set(["cancelled", "terminated"]);

/** The command that shows what became of a write. */
function checkCommand(name: OperationName, input: AnyInput): string {
  if (name === "group.create") return "sendctl group list";
  const key = input.path?.["id"] ?? input.path?.["name"] ?? String(input.body?.["name"]);
  return `sendctl ${name.slice(0, name.indexOf("."))} fetch ${shellWord(key)}`;
}

/** Quotes a word for a POSIX shell where it needs quotes. */
function shellWord(word: string): string {
  return /^[\w./+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

function deleted(name: OperationName): Reply {
  const envelope = { status: true, message: operations[name].message, data: null };
  return { status: 200, text: JSON.stringify(envelope), envelope };
}

function outcomeLine(outcome: Answer | Lost, milliseconds: number): string {
  const taken = `after ${Math.round(milliseconds)} ms`;
  if ("error" in outcome) {
    const { code, message } = outcome.error;
    return `< ${code ?? message} ${taken}${outcome.unsent ? ", nothing was sent" : ""}`;
  }
  const headers = Object.entries(outcome.headers).map(
    ([name, value]) => `\n< ${name}: ${String(value)}`,
  );
  return `< ${outcome.status} ${taken}${headers.join("")}`;
}
