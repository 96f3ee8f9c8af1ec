import type { Reply } from "../contract/service.ts";
import { safeText } from "../io/safe-text.ts";

/** In characters: what is longer is no line for people. */
const longestLine = 500;

type Members = Readonly<Record<string, unknown>>;

/**
 * One line for people: what the service said, and what it said of each field. How another service says it
 * is not known: its own envelope, `message`, `error`, `errors`, a page of HTML, or nothing.
 */
export function refusalLine({ status, text }: Reply): string {
  const body = parsed(text);
  const message = messageOf(body) ?? saidAs(status, text, body);
  // What is taken is said by the message already.
  const faults = status === 409 ? [] : faultsOf(body).filter((fault) => !message.includes(fault));
  const line = faults.length === 0 ? message : `${message}: ${faults.join("; ")}`;
  const folded = line.replace(/[ \r\n\t]+/g, " ").trim();
  return safeText(folded.length > longestLine ? `${folded.slice(0, longestLine)}…` : folded);
}

function parsed(text: string): Members | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as Members) : undefined;
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
  const inner = typeof error === "object" && error !== null ? (error as Members)["message"] : error;
  return textOf(message) ?? textOf(inner) ?? textOf(detail) ?? textOf(title);
}

/** `{field: [text]}`, `{field: text}` or `[text]`. */
function faultsOf(body: Members | undefined): string[] {
  const errors = body?.["errors"];
  if (typeof errors !== "object" || errors === null) return [];
  if (Array.isArray(errors)) return errors.map(faultText);
  return Object.entries(errors).map(([field, faults]) => {
    const texts = (Array.isArray(faults) ? faults : [faults]).map(faultText);
    return `${field} ${texts.join(", ")}`;
  });
}

function faultText(fault: unknown): string {
  if (typeof fault === "string") return fault;
  return messageOf(fault as Members) ?? JSON.stringify(fault) ?? "";
}

/** What a body says that is no JSON: its title, or its beginning without tags. */
function saidAs(status: number, text: string, body: Members | undefined): string {
  const said = `The service answered ${status}`;
  if (body !== undefined || text.trim() === "") return said;
  const [, title] = /<title[^>]*>([^<]*)<\/title>/i.exec(text) ?? [];
  const words = textOf(title) ?? text.slice(0, 10_000).replace(/<[^>]*>/g, " ");
  return `${said}: ${words.replace(/\s+/g, " ").trim().slice(0, 200)}`;
}
