import { switches } from "../../contract/behaviour.ts";
import { findLargest, numbersIn, type Tried } from "../largest.ts";
import { whyUnclear, type Fields } from "../outcome.ts";
import { probeSpacesInUpdates } from "./spaces.ts";
import { change, type ScratchExperiment, type Subject } from "./context.ts";

/** Finds out which texts the service accepts as names and birthday messages. */
export async function probeTexts(experiment: ScratchExperiment, subject: Subject): Promise<void> {
  await probeEmptyMessage(experiment, subject);
  await probeSpacesInUpdates(experiment, subject);
  const { name } = subject.group;
  await probeLength(experiment, subject, "group_name_max", (length) => {
    return { name: `${name}-`.padEnd(length, "x") };
  });
  await probeLength(experiment, subject, "birthday_message_max", (length) => {
    return { birthday_message: "x".repeat(length) };
  });
}

async function probeEmptyMessage(experiment: ScratchExperiment, subject: Subject): Promise<void> {
  const { findings, evidence } = experiment;
  const name = "birthday_message_empty";
  const how = "an update with an empty birthday message";
  const outcome = await change(experiment, subject, { ...subject.whole, birthday_message: "" });
  if (outcome.kind === "refused") {
    evidence.note("invalid", how, outcome, true);
    return findings.found(name, "refused", how);
  }
  if (outcome.kind !== "success") return findings.unknown(name, whyUnclear(outcome));
  const stored = subject.fields["birthday_message"];
  if (stored === null) return findings.found(name, "null", how);
  if (stored === "") return findings.found(name, "kept", how);
  return findings.odd(name, "another text is stored", how);
}

async function probeLength(
  experiment: ScratchExperiment,
  subject: Subject,
  name: "group_name_max" | "birthday_message_max",
  fieldsOf: (length: number) => Fields,
): Promise<void> {
  const { findings, evidence } = experiment;
  const texts: string[] = [];
  const attempt = async (length: number): Promise<Tried> => {
    const fields = fieldsOf(length);
    const outcome = await change(experiment, subject, { ...subject.whole, ...fields });
    if (outcome.kind === "refused") {
      evidence.note("invalid", "a text that is too long", outcome, true);
      texts.push(outcome.text.slice(0, 2000));
      return "refused";
    }
    if (outcome.kind !== "success") return { unclear: whyUnclear(outcome) };
    const isStored = Object.entries(fields).every(
      ([field, value]) => subject.fields[field] === value,
    );
    return isStored ? "accepted" : { cut: "accepted, but stored differently" };
  };
  const { min, max, default: usual } = switches[name];
  const hints = () => texts.flatMap(numbersIn);
  const result = await findLargest({ min, max, usual, attempt, hints });
  const how = "updates with texts of different lengths";
  if ("largest" in result) return findings.found(name, result.largest, how);
  if ("odd" in result) return findings.odd(name, result.odd, how);
  return findings.unknown(name, result.unclear);
}
