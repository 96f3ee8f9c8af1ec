import type { Reply } from "../contract/service.ts";
import { jsonText } from "../contract/json-text.ts";
import { safeText } from "./safe-text.ts";

/** In characters: what is longer is no line for people. */
const longestLine = 500;

type Members = Readonly<Record<string, unknown>>;

/** Returns why the service refused, as one line that a terminal shows as it is. */
export function refusalLine(reply: Reply): string {
  return safeText(refusalMessage(reply));
}

/**
 * Returns what the service said, and what it said of each field, without line ends. How another service says
 * it is not known: its own envelope, `message`, `error`, `errors`, a page of HTML, or nothing.
 */
export function refusalMessage({ status, text, retryAfter }: Reply): string {
  const body = parsed(text);
  const said = messageOf(body);
  const message = said ?? saidAs(status, text, body);
  // What is taken is said by the message already.
  const isSaid = status === 409 && said !== undefined;
  const faults = isSaid ? [] : faultsOf(body).filter((fault) => !message.includes(fault));
  const later = retryAfter === undefined ? "" : ` · try again in ${retryAfter} s`;
  const line = `${[message, faults.join("; ")].filter((part) => part !== "").join(": ")}${later}`;
  const characters = Array.from(line.replace(/\s*[\r\n]\s*/g, " ").trim());
  const isLong = characters.length > longestLine;
  return `${characters.slice(0, longestLine).join("")}${isLong ? "…" : ""}`;
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

function messageOf(body: Members | undefined): string | undefined {
  if (body === undefined) return undefined;
  const { message, error, detail, title } = body;
  const inner = isMembers(error) ? error["message"] : error;
  return textOf(message) ?? textOf(inner) ?? textOf(detail) ?? textOf(title);
}

/** `{field: [text]}`, `{field: text}` or `[text]`. */
function faultsOf(body: Members | undefined): string[] {
  const errors = body?.["errors"];
  if (!isMembers(errors)) return [];
  if (Array.isArray(errors)) return errors.map(faultText);
  return Object.entries(errors).map(([field, faults]) => {
    const texts = (Array.isArray(faults) ? faults : [faults]).map(faultText);
    return `${field} ${texts.join(", ")}`;
  });
}

function faultText(fault: unknown): string {
  if (typeof fault === "string") return fault;
  return (isMembers(fault) ? messageOf(fault) : undefined) ?? jsonText(fault);
}

/** What a body says that is no JSON: its title, or its beginning without tags. */
function saidAs(status: number, text: string, body: Members | undefined): string {
  const said = `The service answered ${status}`;
  if (body !== undefined || text.trim() === "") return said;
  const [, title] = /<title[^>]*>([^<]*)<\/title>/i.exec(text) ?? [];
  const words = textOf(title) ?? text.slice(0, 10_000).replace(/<[^>]*>/g, " ");
  const folded = words.replace(/\s+/g, " ").trim().slice(0, 200);
  return folded === "" ? said : `${said}: ${folded}`;
}
