import {
  type OperationHandler,
  type Reply,
  type Service,
  type ShownRecord,
  isAbsence,
  isObject,
  retryAfter,
  serviceOf,
  succeeded,
} from "../contract/service.ts";
import { currentHeader, requestOf } from "../contract/request.ts";
import { errorObject, SendctlError, type ErrorKind } from "../core/error.ts";
import { joinLines, readJson } from "../core/json-text.ts";
import { visibleText } from "../core/text.ts";

/** Maximum length of a refusal in characters. */
const maxLineLength = 500;

/** In UTF-16 units. A service may send 64 MiB; nothing beyond this is examined. */
const maxTextLength = 10_000;

/** Maximum number of texts to look at. */
const maxTexts = 20;

/** Returns why the service refused a request, as one line that is safe to show. */
export function refusalLine(reply: Reply): string {
  return visibleText(refusalMessage(reply));
}

/**
 * Returns one line with the message of the service and those of its fields, without repetitions.
 * Other services may use an envelope of their own, `message`, `error`, `errors`, a page of HTML, or
 * an empty body.
 */
function refusalMessage(reply: Reply): string {
  const { status, text } = reply;
  const body = jsonObject(text);
  const said = body && messageIn(body);
  const message = said ?? fallbackMessage(reply, body);
  // The message of a conflict is complete without the fields.
  const isSaid = status === 409 && said !== undefined;
  const fields = isSaid ? [] : fieldTexts(fieldErrorsIn(body ?? {}, said), message);
  const seconds = retryAfter(reply);
  const later = seconds === undefined ? "" : ` · try again in ${seconds} s`;
  const introduction = fields.length === 0 ? message : message.replace(/\.$/, "");
  const line = `${[introduction, fields.join("; ")].filter((part) => part !== "").join(": ")}${later}`;
  const characters = Array.from(joinLines(line.slice(0, maxTextLength), " ").trim());
  const isLong = characters.length > maxLineLength;
  return `${characters.slice(0, maxLineLength).join("")}${isLong ? "…" : ""}`;
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

/** Returns a text, or a list of texts as one. */
function textsOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return textOf(value);
  const texts = value.map(textOf).filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join("; ");
}

/** Returns the message of a refusal, wherever the service has put it. */
function messageIn(body: ShownRecord): string | undefined {
  const { message, error, detail, description, title, msg, defaultMessage } = body;
  const inner = isObject(error) ? messageIn(error) : textOf(error);
  const others = [detail, description, title, msg, defaultMessage].map(textOf);
  return [textsOf(message), inner, ...others].find((text) => text !== undefined);
}

/** Names under which services put the errors of fields. They are not fields themselves. */
const holders: ReadonlySet<string> = new Set(
  "errors messages message detail details violations issues validation _embedded fieldErrors formErrors".split(
    " ",
  ),
);

/** Parts of a request, in an object for each. */
const places: ReadonlySet<string> = new Set(["json", "form", "query", "body"]);

/** Levels of objects and lists in which texts are looked for. */
const maxDepth = 8;

/** An error of a field, or of none. */
type FieldError = readonly [field: string | undefined, text: string];

/**
 * Returns the errors of fields: those in holders, also of an `error`; without them and without a
 * message, those in `data`, or in the lists at the root of the body.
 */
function fieldErrorsIn(body: ShownRecord, said: string | undefined): readonly FieldError[] {
  const { error, data } = body;
  const inner = isObject(error) ? Object.entries(error) : [];
  const held = [...inner, ...Object.entries(body)].filter(
    ([name, value]) => holders.has(name) && isNested(value),
  );
  const found = firstErrors(held.map(([, value]) => value));
  if (said !== undefined || found.length > 0) return found;
  const lists = Object.entries(body).filter(([, value]) => Array.isArray(value));
  return firstErrors(isNested(data) ? data : Object.fromEntries(lists));
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Maximum number of errors to look at, of which some may repeat others. */
const maxErrors = 100;

function firstErrors(value: unknown): readonly FieldError[] {
  const found: FieldError[] = [];
  for (const error of errorsIn(value)) if (found.push(error) === maxErrors) break;
  return found;
}

/** Yields the errors in a value: a text, a list, or an object by field or with a message. */
function* errorsIn(value: unknown, field?: string, depth = 0): Generator<FieldError> {
  if (!isNested(value)) {
    yield [field, String(value)];
    return;
  }
  if (depth > maxDepth) return;
  if (Array.isArray(value)) {
    for (const each of value) yield* errorsIn(each, field, depth + 1);
    return;
  }
  const record = value as ShownRecord;
  const message = depth < 2 ? undefined : messageIn(record);
  if (message !== undefined) {
    const path = record["loc"] ?? record["path"];
    const name = textOf(Array.isArray(path) ? path.at(-1) : record["field"]);
    yield [name ?? field, message];
    return;
  }
  for (const [name, inner] of Object.entries(record)) {
    const isHolder = holders.has(name) || (places.has(name) && isObject(inner));
    yield* errorsIn(inner, isHolder ? field : name, depth + 1);
  }
}

/** Returns errors as texts, one for each field, without what the message or another one says. */
function fieldTexts(errors: readonly FieldError[], message: string): string[] {
  const said = [message];
  const texts: string[] = [];
  const places = new Map<string, number>();
  for (const [field, text] of errors) {
    if (said.length > maxTexts || said.some((other) => repeats(other, text))) continue;
    said.push(text);
    const place = field === undefined ? undefined : places.get(field);
    if (place !== undefined) texts[place] += `, ${text}`;
    else {
      if (field !== undefined) places.set(field, texts.length);
      texts.push(field === undefined ? text : withField(field, text));
    }
  }
  return texts;
}

/** Returns a text after the name of its field, unless it names the field itself. */
function withField(field: string, text: string): string {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  return words.includes(field.toLowerCase()) ? text : `${field} ${text}`;
}

/** Returns whether a text repeats a part of a longer one. One word may occur by chance. */
function repeats(longer: string, text: string): boolean {
  return longer === text || (/\S\s+\S/.test(text) && longer.includes(text));
}

/** Returns the title or beginning of a body that is not JSON, or else a message with the status. */
function fallbackMessage(reply: Reply, body: ShownRecord | undefined): string {
  const { status, text, headers } = reply;
  const server = headers?.["Server"] === undefined ? "" : ` (${headers["Server"]})`;
  const said = isKeyOfGateway(reply)
    ? `a gateway${server} in front of the service responded with HTTP ${status}`
    : `the service responded with HTTP ${status}`;
  if (body !== undefined || text.trim() === "") return said;
  const page = text.trimStart().slice(0, maxTextLength);
  const [, title] = /<title[^<>]*>([^<]*)<\/title>/i.exec(page) ?? [];
  const words = textOf(title) ?? page.replace(/<[^<>]*>/g, " ");
  const folded = words.replace(/\s+/g, " ").trim().slice(0, 200);
  return folded === "" ? said : `${said}: ${folded}`;
}

/** Parses a JSON object from outside; undefined for any other text. */
function jsonObject(text: string): ShownRecord | undefined {
  const value = readJson(text);
  return isObject(value) ? value : undefined;
}

/**
 * Returns whether a gateway in front of the service has refused the key: a service refuses in JSON;
 * firewalls and proxies have pages of their own, or none.
 */
export function isKeyOfGateway({ status, text }: Reply): boolean {
  return (status === 401 || status === 403) && jsonObject(text) === undefined;
}

/** Returns whether a refusal is a page of a gateway: the service itself refuses in JSON. */
export function isOfGateway({ status, text, envelope }: Reply): boolean {
  if (status < 400 || envelope !== undefined || text.trim() === "") return false;
  return jsonObject(text) === undefined;
}

/**
 * Returns the envelope of a refusal: the body of the service, byte for byte, plus an `error` object
 * if it has none.
 *
 * @param data value of `data` if the body is not an object
 */
export function refusalEnvelope(refusal: Refusal, data: string | null = null): string {
  const { message, reply } = refusal;
  const { text } = reply;
  const error = errorObject(refusal);
  const body = jsonObject(text);
  if (body === undefined) return JSON.stringify({ status: false, message, data, error });
  if (Object.hasOwn(body, "error")) return text;
  // Inserted as text: parsing would lose long numbers, repeated fields and their order.
  const end = text.lastIndexOf("}");
  const comma = Object.keys(body).length === 0 ? "" : ",";
  return `${text.slice(0, end)}${comma}"error":${JSON.stringify(error)}${text.slice(end)}`;
}

/** Returns the message of an error; if a response caused it, with what `causeText` adds. */
export function failureText(
  { kind, message, details }: Pick<SendctlError, "kind" | "message" | "details">,
  database: string | undefined,
): string {
  const { httpStatus } = details;
  const cause = httpStatus === undefined ? "" : causeText(message, httpStatus, kind, database);
  return visibleText(`${message}${cause}`);
}

/** The error for a refusal of the service. */
export type Refusal = SendctlError & { readonly reply: Reply };

/** Returns whether an error is a refusal of the service. */
export function isRefusal(error: unknown): error is Refusal {
  return error instanceof SendctlError && error.reply !== undefined;
}

/** Returns the error for a refusal. @param hint what the user can do about it */
export function failureOf(reply: Reply, hint?: string): Refusal {
  const details = { httpStatus: reply.status, hint, reply };
  const error = new SendctlError(kindOfReply(reply) ?? "invalid", refusalMessage(reply), details);
  return error as Refusal;
}

/** Returns the response of a request that succeeded. @throws Refusal for any other */
export function successOf(reply: Reply): Reply {
  if (!succeeded(reply)) throw failureOf(reply);
  return reply;
}

/**
 * Returns a service that throws its refusals: from here up, no code tells a response from an error.
 *
 * @param hintFor returns what the user can do about a refusal, by the path of its request
 */
export function throwingRefusals(
  service: Service,
  hintFor?: (path: string, reply: Reply) => string | undefined,
): Service {
  return serviceOf((name) => {
    const operate: OperationHandler = service[name];
    return async (input) => {
      const reply = await operate(input);
      if (succeeded(reply)) return reply;
      throw failureOf(reply, hintFor?.(requestOf(name, input).path, reply));
    };
  });
}

/** Returns the response to a request, or the refusal. @throws any other error */
export function attempted(request: Promise<Reply>): Promise<Reply | Refusal> {
  return request.catch((error: unknown) => {
    if (isRefusal(error)) return error;
    throw error;
  });
}

/** Returns whether a service that is never behind says that a record does not exist. */
export function isCertainAbsence(reply: Reply): boolean {
  return isAbsence(reply) === true && reply.headers?.[currentHeader] !== undefined;
}

/**
 * Returns the kind of a refusal, by its HTTP status and, for a 2xx, by the status of the envelope;
 * undefined for a success.
 */
export function kindOfReply(reply: Reply): ErrorKind | undefined {
  const { status, envelope } = reply;
  if (status >= 200 && status < 300) {
    if (envelope === undefined) return "unexpected_response";
    return envelope.status ? undefined : "invalid";
  }
  if (status === 403 && retryAfter(reply) !== undefined) return "rate_limited";
  if (status === 401 || status === 403) return "auth";
  if (status === 404 || status === 410) return "not_found";
  if (status === 409) return "conflict";
  if (status === 429) return "rate_limited";
  if (status >= 400 && status < 500) return "invalid";
  return status >= 500 ? "unavailable" : "unexpected_response";
}

/**
 * Returns the suffix of an error message on stderr: ` (HTTP 404, not_found)`, without a status that
 * it contains, or ` (not_found, database FILE)` for the embedded engine.
 */
function causeText(
  message: string,
  status: number,
  kind: ErrorKind,
  database: string | undefined,
): string {
  if (database !== undefined) return ` (${kind}, database ${database})`;
  const name = `HTTP ${status}`;
  return ` (${message.includes(name) ? "" : `${name}, `}${kind})`;
}
