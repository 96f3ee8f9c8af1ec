import { succeeded } from "../../contract/service.ts";
import { pickRecord } from "../../prompts/pick-record.ts";
import {
  groupView,
  keyView,
  profileView,
  senderIdView,
  type RecordView,
} from "../../output/views.ts";
import type { List } from "../../service/pages.ts";
import {
  administered,
  listOf,
  localListOf,
  profileList,
  recordsOf,
  type RecordKind,
} from "./record-lists.ts";
import type { Session } from "./session.ts";

/**
 * Asks for a sender ID or a group.
 *
 * @param isLocal true for a command that always works on the embedded engine
 * @returns its key; undefined if there is none to choose
 */
export async function pickKey(
  session: Session,
  kind: RecordKind,
  isLocal: boolean,
): Promise<string | undefined> {
  const context = session.context();
  const list = isLocal ? localListOf(context, kind) : listOf(context, kind);
  return pickFrom(session, list, kind === "group" ? groupView : senderIdView);
}

/** Asks for a record of a list. @returns its key; undefined if the list is empty */
export async function pickFrom(
  { say, prompter }: Session,
  list: List,
  view: RecordView,
): Promise<string | undefined> {
  // If the service refuses to list its records, pickRecord reports that.
  const first = await list({ perPage: 1 });
  if (!succeeded(first) || recordsOf(first).length > 0) return pickRecord(prompter, list, view);
  await say(`No ${view.many} yet · create one: ${view.toCreate}`);
  return undefined;
}

/** Asks for an integration of the embedded engine. */
export async function pickIntegration({ context, prompter }: Session): Promise<string> {
  const reply = await administered(context(), "listIntegrations");
  const names = recordsOf(reply).map(({ name }) => String(name));
  return prompter.select(
    "Integration",
    names.map((name) => ({ value: name, name })),
    "default",
  );
}

/** Asks for a key of the embedded engine. */
export function pickSecretKey(session: Session): Promise<string | undefined> {
  return pickFrom(session, () => administered(session.context(), "listKeys"), keyView);
}

/** Asks for a profile. */
export async function pickProfile(session: Session): Promise<string | undefined> {
  const names = recordsOf(profileList(session.context())).map(({ name }) => String(name));
  if (names.length === 0) {
    await session.say(`No profiles yet · create one: ${profileView.toCreate}`);
    return undefined;
  }
  return session.prompter.select(
    "Profile",
    names.map((name) => ({ value: name, name })),
    session.context().config.read().current,
  );
}

/** Asks for one of a few words, by the name of the field. */
export function pickWord(
  { prompter }: Session,
  label: string,
  words: readonly string[],
): Promise<string> {
  return prompter.select(
    label,
    words.map((value) => ({ value, name: value })),
  );
}
