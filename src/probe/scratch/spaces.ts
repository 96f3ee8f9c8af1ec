import type { SwitchName } from "../../contract/behaviour.ts";
import { whyUnclear, type Fields } from "../outcome.ts";
import {
  change,
  message,
  wholeCreate,
  type Attempt,
  type ScratchExperiment,
  type Subject,
} from "./context.ts";

/** The switches for white space around texts, with the fields that they belong to. */
const spaceSwitches = [
  ["group_name_spaces", "name"],
  ["birthday_message_spaces", "birthday_message"],
] as const satisfies readonly (readonly [SwitchName, string])[];

/** Names what happened to a text that was sent with a space before and after it. */
function storedAs(text: string, stored: unknown): string {
  if (stored === text) return "trimmed";
  return stored === ` ${text} ` ? "kept" : "changed in another way";
}

/** Finds out what creates do with white space around texts. */
export async function probeSpacesInCreates(
  { findings, evidence }: ScratchExperiment,
  attempt: Attempt,
): Promise<void> {
  for (const [name, field] of spaceSwitches) {
    const how = `a create with a space before and after ${field}`;
    let text = message;
    await attempt(
      (unique) => {
        if (field === "name") text = unique;
        return { ...wholeCreate(unique), [field]: ` ${text} ` };
      },
      (created, creation) => {
        if (creation.kind === "unclear") return findings.unknown(name, creation.why);
        if (creation.kind === "refused") evidence.note("invalid", how, creation, true);
        const is = creation.kind === "refused" ? "refused" : storedAs(text, created![field]);
        return findings.found(name, is, how);
      },
    );
  }
}

/** Finds out whether updates do the same as creates with white space around texts. */
export async function probeSpacesInUpdates(
  experiment: ScratchExperiment,
  subject: Subject,
): Promise<void> {
  const { findings, evidence } = experiment;
  for (const [name, field] of spaceSwitches) {
    const inCreate = findings.valueOf(name);
    const text = field === "name" ? subject.group.name : message;
    const body: Fields = { ...subject.whole, [field]: ` ${text} ` };
    const outcome = await change(experiment, subject, body);
    const how = `a create and an update with a space before and after ${field}`;
    if (outcome.kind === "refused") evidence.note("invalid", how, outcome, true);
    const isUnclear = outcome.kind !== "success" && outcome.kind !== "refused";
    const inUpdate = outcome.kind === "refused" ? "refused" : storedAs(text, subject.fields[field]);
    if (isUnclear) findings.unknown(name, whyUnclear(outcome));
    else if (inUpdate === inCreate) findings.found(name, inCreate, how);
    else if (inCreate !== undefined) {
      findings.odd(name, `${String(inCreate)} in a create, ${inUpdate} in an update`, how);
    }
  }
}
