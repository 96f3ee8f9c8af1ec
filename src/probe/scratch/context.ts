import { isObject } from "../../contract/envelope.ts";
import type { Experiment } from "../experiment.ts";
import type { FirstLists } from "../read/first-lists.ts";
import { type Fields, type Outcome } from "../outcome.ts";
import type { Creation, ScratchGroup, ScratchGroups } from "./groups.ts";

/** What experiments with scratch groups use. */
export interface ScratchExperiment extends Experiment {
  readonly groups: ScratchGroups;
  readonly lists: FirstLists;
}

/** A scratch group that updates change, with its fields as they were last shown. */
export interface Subject {
  readonly group: ScratchGroup;
  readonly path: string;
  fields: Fields;
  /** A body that sets every visible field, and that the service accepts. */
  readonly whole: Fields;
}

/** Sends an update of the subject, and keeps the fields that the response shows. */
export async function change(
  { groups }: ScratchExperiment,
  subject: Subject,
  body: Fields,
): Promise<Outcome> {
  const outcome = await groups.update(subject.path, body);
  if (outcome.kind === "success" && isObject(outcome.data)) subject.fields = outcome.data;
  return outcome;
}

export const message = "Sent by nobody: sendctl probe deletes this group";

/** Returns the body of a create with every field of the specification. */
export function wholeCreate(name: string): Fields {
  return { name, send_birthday: true, birthday_message: message };
}

/** Creates a group, judges its response, and deletes it. @param fields returns the body for a new name */
export type Attempt = (
  fields: (name: string) => Fields,
  judge: (created: Fields | undefined, creation: Creation) => void,
) => Promise<Creation>;
