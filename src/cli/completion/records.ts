import { statSync } from "node:fs";
import type { Capabilities } from "../capabilities.ts";
import { succeeded, type PageQuery, type Reply } from "../../contract/service.ts";
import { safeText } from "../../output/safe-text.ts";
import type { Candidate } from "./candidate.ts";

/** Maximum number of candidates: the largest page of the engine (ruling 18). */
const maxRecords = 1000;

/** Returns sender IDs or groups of the chosen service, the newest first. Never creates a missing database. */
export async function recordsOf(
  context: Capabilities,
  kind: "sender-id" | "group",
): Promise<Candidate[]> {
  if (context.config.settings.baseUrl === undefined && (await isMissing(context))) return [];
  // A key command may ask for a passphrase, which would surprise at the Tab key.
  if (context.config.settings.keyCommand !== undefined) return [];
  const service = context.service;
  const list = (query: PageQuery): Promise<Reply> => service[`${kind}.list`]({ query });
  const whole = await list({ perPage: maxRecords, takesLess: true });
  const reply = succeeded(whole) ? whole : await list({});
  const data = (reply.envelope?.data ?? {}) as { readonly data?: unknown };
  if (!succeeded(reply) || !Array.isArray(data.data)) return [];
  return data.data.map(kind === "group" ? groupCandidate : senderIdCandidate);
}

async function isMissing(context: Capabilities): Promise<boolean> {
  const { database, databaseUrl } = context.config.settings;
  if (databaseUrl === undefined) {
    return (statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0;
  }
  return !(await (await context.local.database()).exists());
}

/** An unvalidated record: the target may be any service. */
type UnknownRecord = Readonly<Record<string, unknown>> | null;

function groupCandidate(group: UnknownRecord): Candidate {
  return { value: textOf(group?.["id"]), about: safeText(textOf(group?.["name"])) };
}

function senderIdCandidate(senderId: UnknownRecord): Candidate {
  return { value: textOf(senderId?.["name"]), about: safeText(textOf(senderId?.["status"])) };
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
