import type { Reply } from "../contract/service.ts";
import { jsonText } from "../contract/json-text.ts";
import { httpCause, kindOfReply } from "./exit-codes.ts";
import { safeText } from "./safe-text.ts";

/** In characters: what is longer is no line for people. */
const maxLineLength = 500;

type Members = Readonly<Record<string, unknown>>;

/** Returns why the service refused, as one line that a terminal shows as it is. */
export function refusalLine(reply: Reply): string {
  return safeText(refusalMessage(reply));
}

/** Returns the same with the HTTP status and the kind of the error, as stderr shows it. */
export function refusalText(reply: Reply): string {
  const message = refusalMessage(reply);
  return safeText(message + httpCause(message, reply.status, kindOfReply(reply) ?? "invalid"));
}

/**
 * Returns one line for people: what the service said, and what it said of each field, each text once. How another
 * service says it is not known: in its own envelope, in `message`, `error`, `errors`, a page of HTML, or not at all.
 */
export function refusalMessage({ status, text, retryAfter }: Reply): string {
  const body = parsed(text);
  const said = messageOf(body);
  const message = said ?? saidAs(status, text, body);
  // A conflict is explained by the message already.
  const isSaid = status === 409 && said !== undefined;
  const fields = isSaid ? [] : fieldTexts(body, message);
  const later = retryAfter === undefined ? "" : ` · try again in ${retryAfter} s`;
  const line = `${[message, fields.join("; ")].filter((part) => part !== "").join(": ")}${later}`;
  const characters = Array.from(line.replace(/\s*[\r\n]\s*/g, " ").trim());
  const isLong = characters.length > maxLineLength;
  return `${characters.slice(0, maxLineLength).join("")}${isLong ? "…" : ""}`;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

function parsed(text: string): Members | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isMembers(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** A text, or several as one. */
function textsOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return textOf(value);
  const texts = value.map(textOf).filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join("; ");
}

function messageOf(body: Members | undefined): string | undefined {
  if (body === undefined) return undefined;
  const { message, error, detail, description, title } = body;
  const inner = isMembers(error) ? messageOf(error) : textOf(error);
  return textsOf(message) ?? inner ?? textOf(detail) ?? textOf(description) ?? textOf(title);
}

/** `errors` as `{field: [text]}`, `{field: text}` or `[text]`, without what was said already. */
function fieldTexts(body: Members | undefined, message: string): string[] {
  const errors = body?.["errors"];
  const entries = isMembers(errors) ? Object.entries(errors) : [];
  const said = [message];
  const isNew = (text: string): boolean => {
    if (said.some((other) => repeats(other, text))) return false;
    said.push(text);
    return true;
  };
  return entries.flatMap(([field, value]) => {
    const texts = (Array.isArray(value) ? value : [value]).map(errorText).filter(isNew);
    if (texts.length === 0) return [];
    return Array.isArray(errors) ? texts : [`${field} ${texts.join(", ")}`];
  });
}

/** A sentence that is part of a longer text is said already; a single word may stand in it by chance. */
function repeats(longer: string, text: string): boolean {
  return longer === text || (/\S\s+\S/.test(text) && longer.includes(text));
}

function errorText(error: unknown): string {
  if (typeof error === "string") return error;
  return (isMembers(error) ? messageOf(error) : undefined) ?? jsonText(error);
}

/** What a body says that is not JSON: its title, or its beginning without tags. */
function saidAs(status: number, text: string, body: Members | undefined): string {
  const said = `The service responded with HTTP ${status}`;
  if (body !== undefined || text.trim() === "") return said;
  const [, title] = /<title[^>]*>([^<]*)<\/title>/i.exec(text) ?? [];
  const words = textOf(title) ?? text.slice(0, 10_000).replace(/<[^>]*>/g, " ");
  const folded = words.replace(/\s+/g, " ").trim().slice(0, 200);
  return folded === "" ? said : `${said}: ${folded}`;
}
