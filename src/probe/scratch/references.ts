import { isObject } from "../../contract/envelope.ts";
import { idOf } from "../list-page.ts";
import { whyUnclear } from "../outcome.ts";
import { change, type ScratchExperiment, type Subject } from "./context.ts";
import type { ScratchGroup } from "./groups.ts";

/** Finds out what identifies a group in a path. */
export async function probeLookup(
  { session, findings }: ScratchExperiment,
  group: ScratchGroup,
): Promise<void> {
  const name = "group_lookup";
  const { id, uuid } = group;
  if (uuid === undefined) return findings.unknown(name, "no response shows a uuid");
  const finds = async (key: string): Promise<boolean | string> => {
    const outcome = await session.get(`/v1/group/${encodeURIComponent(key)}`);
    if (outcome.kind === "refused") return false;
    if (outcome.kind !== "success") return whyUnclear(outcome);
    const isSame = isObject(outcome.data) && idOf(outcome.data) === id;
    return isSame ? true : "the response shows another group";
  };
  const byId = await finds(id);
  const byUuid = await finds(uuid);
  if (typeof byId === "string") return findings.unknown(name, byId);
  if (typeof byUuid === "string") return findings.unknown(name, byUuid);
  if (!byId && !byUuid) {
    return findings.unknown(name, "ambiguous: neither the id nor the uuid is found");
  }
  const value = byId && byUuid ? "id_or_uuid" : byId ? "id" : "uuid";
  return findings.found(name, value, "a scratch group by its id and by its uuid");
}

/** Finds out what sender_id refers to, with an unknown text and with an existing sender ID. */
export async function probeSenderId(
  experiment: ScratchExperiment,
  subject: Subject,
): Promise<void> {
  const { findings, evidence, lists } = experiment;
  const name = "sender_id_means";
  const accepts = async (text: string): Promise<boolean | string> => {
    const outcome = await change(experiment, subject, { ...subject.whole, sender_id: text });
    if (outcome.kind !== "refused") return outcome.kind === "success" || whyUnclear(outcome);
    evidence.note("other", "an unknown sender_id", outcome, true);
    return false;
  };
  const byText = await accepts(subject.group.name);
  if (typeof byText === "string") return findings.unknown(name, byText);
  if (byText) return findings.found(name, "any_text", "an update with an unknown text");
  const existing = (lists.senderIds?.records ?? []).find((record) => {
    return (
      typeof record["name"] === "string" &&
      !/^\d+$/.test(record["name"]) &&
      idOf(record) !== undefined
    );
  });
  if (existing === undefined) {
    return findings.unknown(name, "not observable: no suitable sender ID is listed");
  }
  const byName = await accepts(String(existing["name"]));
  const byId = await accepts(idOf(existing)!);
  if (typeof byName === "string") return findings.unknown(name, byName);
  if (typeof byId === "string") return findings.unknown(name, byId);
  if (!byName && !byId)
    return findings.unknown(name, "ambiguous: neither a name nor an id is accepted");
  const value = byName && byId ? "name_or_id" : byName ? "name" : "id";
  return findings.found(name, value, "updates with the name and with the id of a listed sender ID");
}
