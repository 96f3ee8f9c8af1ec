import { SendctlError } from "../contract/error.ts";
import type { Bench } from "./experiment.ts";
import { groupList, listPageOf, senderIdList, type Outcome, type Refused } from "./outcome.ts";
import { limited, type ProbeTarget, type Session } from "./session.ts";

/**
 * Reads both lists, without a page size.
 *
 * @throws SendctlError if the list of groups cannot be read: "auth" for a rejected key, "unavailable" without a
 *   response, "unexpected_response" for a response that is not the service's
 */
export async function readFirstLists(
  session: Session,
  target: ProbeTarget,
): Promise<Pick<Bench, "groups" | "senderIds">> {
  const first = await session.get(groupList);
  const groups = listPageOf(first);
  if (groups === undefined) throw await listFailure(session, target, first);
  return { groups, senderIds: listPageOf(await session.get(senderIdList))?.records ?? [] };
}

async function listFailure(
  session: Session,
  { name, keyHint }: ProbeTarget,
  outcome: Outcome,
): Promise<SendctlError> {
  session.throwIfStopped();
  if (outcome.kind === "missing") {
    const { why, hint } = outcome;
    return session.limits.has(limited)
      ? new SendctlError("rate_limited", `${name}: ${why}`, { hint })
      : new SendctlError("unavailable", why, { hint });
  }
  const { status: httpStatus } = outcome;
  const http = `(HTTP ${httpStatus})`;
  if (outcome.kind === "refused") {
    return [401, 403].includes(httpStatus) || (await refusesAnyKey(session, outcome))
      ? new SendctlError("auth", `${name} rejected the key ${http}`, { httpStatus, hint: keyHint })
      : new SendctlError("invalid", `${name} refused the list of groups ${http}`, { httpStatus });
  }
  if (httpStatus >= 500) {
    return new SendctlError("unavailable", `${name} sent HTTP ${httpStatus}`, { httpStatus });
  }
  const what = outcome.kind === "failed" ? outcome.why : "`data.data` is not a list of records";
  return new SendctlError("unexpected_response", `unexpected response from ${name}: ${what}`, {
    httpStatus,
    hint: "check the base URL",
  });
}

/** Returns whether a random key is refused in the same way, as by a service whose refusals all have HTTP 200. */
async function refusesAnyKey(session: Session, { text }: Refused): Promise<boolean> {
  const other = await session.get(groupList, "unknown");
  return other.kind === "refused" && other.text === text;
}
