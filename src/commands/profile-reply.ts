import type { Context } from "../context.ts";
import type { Reply } from "../contract/service.ts";
import { Failure } from "../failure.ts";
import { envelopeText } from "./answer.ts";

/** The answer of a command that is no operation of the service, in the service's shape. */
export function doneReply(message: string, data: unknown): Reply {
  const envelope = { status: true, message, data };
  return { status: 200, text: envelopeText(message, data), envelope };
}

/** The last characters of a key, to know it by; a short one would be half told by them. */
export function keyEnding(key: string | undefined): string | null {
  if (key === undefined) return null;
  return key.length > 8 ? `…${key.slice(-4)}` : "…";
}

/** @throws Failure "usage" under `--dry-run`, of what sends nothing */
export function refuseDryRun({ settings }: Context): void {
  if (!settings.dryRun) return;
  throw new Failure("usage", "This makes no request that could be shown: leave --dry-run out");
}
