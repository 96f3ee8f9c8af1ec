import {
  type OperationHandler,
  type Reply,
  type Service,
  type ShownRecord,
  isObject,
  retryAfter,
  serviceOf,
  succeeded,
} from "../contract/service.ts";
import { errorObject, SendctlError, type ErrorKind, type Trail } from "../core/error.ts";
import { joinLines, jsonText, readJson } from "../core/json-text.ts";
import { counted, safeText, visibleText } from "../core/text.ts";

/** Maximum length of a refusal in characters. */
const maxLineLength = 500;

/** In UTF-16 units. A service may send 64 MiB, and nothing beyond this is looked at in its texts together. */
const maxTextLength = 10_000;

/** Maximum number of texts to look at. */
const maxTexts = 20;

/** Returns why the service refused a request, as one line that is safe to show. */
export function refusalLine(reply: Reply): string {
  return visibleText(refusalMessage(reply));
}

/**
 * Returns one line with the message of the service and those of its fields, without repetitions. Other services may use
 * an envelope of their own, `message`, `error`, `errors`, a page of HTML, or an empty body.
 */
function refusalMessage(reply: Reply): string {
  const { status, text } = reply;
  const body = jsonObject(text);
  const said = body && messageIn(body);
  const message = said ?? fallbackMessage(reply, body);
  // The message of a conflict is complete without the fields.
  const isSaid = status === 409 && said !== undefined;
  const fields = isSaid ? [] : fieldTexts(fieldErrorsIn(body, said), message);
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
  const { message, msg, error, detail, description, title } = body;
  const inner = isObject(error) ? messageIn(error) : textOf(error);
  return [textsOf(message), inner, ...[detail, description, title, msg].map(textOf)].find(
    (text) => text !== undefined,
  );
}

/**
 * Returns `errors`, or the list `detail`; in a body without them and without a message, `data`, or the lists at the root
 * of the body.
 */
function fieldErrorsIn(body: ShownRecord = {}, said: string | undefined): unknown {
  const { detail, data } = body;
  const errors = body["errors"] ?? (Array.isArray(detail) ? detail : undefined);
  if (said !== undefined || errors !== undefined) return errors;
  const lists = Object.entries(body).filter(([, value]) => Array.isArray(value));
  return typeof data === "object" && data !== null ? data : Object.fromEntries(lists);
}

/** Returns the texts of errors `{field: [text]}`, `{field: text}` or `[text]`, without repetitions. */
function fieldTexts(errors: unknown, message: string): string[] {
  const isList = typeof errors === "object" && errors !== null;
  const entries = isList ? Object.entries(errors).slice(0, maxTexts) : [];
  const said = [message];
  const isNew = (text: string): boolean => {
    if (said.length > maxTexts || said.some((other) => repeats(other, text))) return false;
    said.push(text);
    return true;
  };
  return entries.flatMap(([field, value]) => {
    const texts = (Array.isArray(value) ? value.slice(0, maxTexts) : [value])
      .map(errorText)
      .filter(isNew);
    if (texts.length === 0) return [];
    return Array.isArray(errors) ? texts : [withField(field, texts.join(", "))];
  });
}

/** Returns a text after the name of its field, unless it names the field itself. */
function withField(field: string, text: string): string {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  return words.includes(field.toLowerCase()) ? text : `${field} ${text}`;
}

/** Returns whether a text repeats a part of a longer one. A single word may occur in it by chance. */
function repeats(longer: string, text: string): boolean {
  return longer === text || (/\S\s+\S/.test(text) && longer.includes(text));
}

function errorText(error: unknown): string {
  if (typeof error === "string") return error;
  const message = isObject(error) ? messageIn(error) : undefined;
  if (!isObject(error) || message === undefined) return jsonText(error);
  const { field, loc } = error;
  const name = textOf(Array.isArray(loc) ? loc.at(-1) : field);
  return name === undefined ? message : withField(name, message);
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
 * Returns whether a gateway in front of the service has refused the key: a service refuses in JSON; firewalls and proxies
 * have pages of their own, or none.
 */
export function isKeyOfGateway({ status, text }: Reply): boolean {
  return (status === 401 || status === 403) && jsonObject(text) === undefined;
}

/** Returns whether a refusal is a page of a gateway in front of the service, which itself refuses in JSON. */
export function isOfGateway({ status, text, envelope }: Reply): boolean {
  if (status < 400 || envelope !== undefined || text.trim() === "") return false;
  return jsonObject(text) === undefined;
}

/**
 * Returns the envelope of a refusal: the body of the service, byte for byte, plus an `error` object if it has none.
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

/** Returns the error for a refusal. */
export function failureOf(reply: Reply): Refusal {
  const { status: httpStatus, hint, trail } = reply;
  const details = { httpStatus, hint, trail, reply };
  const error = new SendctlError(kindOfReply(reply) ?? "invalid", refusalMessage(reply), details);
  return error as Refusal;
}

/** Returns a response that is no refusal. @throws Refusal */
export function successOf(reply: Reply): Reply {
  if (!succeeded(reply)) throw failureOf(reply);
  return reply;
}

/** Returns a service that throws its refusals: from here up, no code tells a response from an error. */
export function throwingRefusals(service: Service): Service {
  return serviceOf((name) => {
    const operate: OperationHandler = service[name];
    return async (input) => successOf(await operate(input));
  });
}

/** Returns the response to a request, also if it is a refusal that was thrown. */
export async function replyTo(request: Promise<Reply>): Promise<Reply> {
  try {
    return await request;
  } catch (error) {
    if (isRefusal(error)) return error.reply;
    throw error;
  }
}

/**
 * Returns the kind of a refusal, by its HTTP status and, for a 2xx, by the status of the envelope; undefined for a
 * success.
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
 * Returns the end of an error for logs: its request, if it was sent more than once or has an id. "" for others and at a
 * terminal, whose user knows the command.
 */
export function trailText(trail: Trail | undefined, isTerminal: boolean): string {
  if (trail === undefined || isTerminal) return "";
  const { request, attempts, requestId } = trail;
  if (attempts < 2 && requestId === undefined) return "";
  const id = requestId === undefined ? "" : `, request ${requestId}`;
  return safeText(`; ${request}, ${counted(attempts, "attempt")}${id}`);
}

/**
 * Returns the suffix of an error message on stderr: ` (HTTP 404, not_found)`, without a status that it contains, or
 * ` (not_found, database FILE)` for the embedded engine.
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
