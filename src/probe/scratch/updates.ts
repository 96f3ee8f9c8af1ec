import { isObject } from "../../contract/envelope.ts";
import { shortText } from "../short-text.ts";
import type { Findings } from "../findings.ts";
import { whyUnclear, type Fields, type Outcome } from "../outcome.ts";
import { change, message, type ScratchExperiment, type Subject } from "./context.ts";

/** Finds out which fields an update needs, and what it does to those that it omits. */
export async function probePartialUpdates(
  experiment: ScratchExperiment,
  subject: Subject,
): Promise<void> {
  const { findings, evidence } = experiment;
  const requires = "group_update_requires";
  const text = `${message}.`;
  const { whole } = subject;
  const before = subject.fields;
  const judge = (outcome: Outcome): void => judgeOmitted(findings, before, outcome, text);
  const messageOnly = await change(experiment, subject, { birthday_message: text });
  if (messageOnly.kind === "success") {
    judge(messageOnly);
    const empty = await change(experiment, subject, {});
    if (empty.kind === "success")
      findings.found(requires, "nothing", "updates with one field and with none");
    else if (empty.kind === "refused") findings.odd(requires, "any field", "an empty update");
    else findings.unknown(requires, whyUnclear(empty));
    return;
  }
  const unclear = (outcome: Outcome): void => {
    findings.unknown(requires, whyUnclear(outcome));
    findings.unknown("omitted_in_update", whyUnclear(outcome));
  };
  if (messageOnly.kind !== "refused") return unclear(messageOnly);
  evidence.note("invalid", "an update without name", messageOnly, true);
  const named = { name: whole["name"], birthday_message: text };
  const withName = await change(experiment, subject, named);
  if (withName.kind === "success") {
    findings.found(requires, "name", "updates with and without the name");
    return judge(withName);
  }
  if (withName.kind !== "refused") return unclear(withName);
  const { send_holiday: _, ...withoutHoliday } = whole;
  const nearly = await change(experiment, subject, withoutHoliday);
  const how = "updates with some of the fields";
  if (nearly.kind === "refused") {
    findings.found(requires, "every_field", how);
    return findings.unknown("omitted_in_update", "not observable: an update needs every field");
  }
  if (nearly.kind !== "success") return unclear(nearly);
  findings.odd(requires, "name and send_birthday", how);
  return findings.unknown("omitted_in_update", "not observable: an update needs most fields");
}

/** Compares the fields that an update omitted with those before it. */
function judgeOmitted(findings: Findings, before: Fields, outcome: Outcome, text: string): void {
  const name = "omitted_in_update";
  const how = "an update with the birthday message only";
  const after = outcome.kind === "success" && isObject(outcome.data) ? outcome.data : {};
  if (after["birthday_message"] !== text) {
    return findings.unknown(name, "ambiguous: the response does not show the new birthday message");
  }
  const fields = ["send_birthday", "send_holiday"];
  const changed = fields.filter((field) => after[field] !== before[field]);
  if (changed.length === 0) return judgeKept(findings, before);
  // A field whose default is not known may have been reset to its old value.
  const isReset = changed.every((field) => {
    const usual = findings.valueOf(
      field === "send_birthday" ? "default_send_birthday" : "default_send_holiday",
    );
    return usual === undefined || after[field] === usual;
  });
  const hasOthers = fields.some(
    (field) =>
      !changed.includes(field) &&
      (field === "send_holiday" || findings.valueOf("default_send_birthday") !== undefined),
  );
  return isReset && !hasOthers
    ? findings.found(name, "reset", how)
    : findings.odd(name, `changed: ${changed.join(", ")}`, how);
}

function judgeKept(findings: Findings, before: Fields): void {
  const name = "omitted_in_update";
  const isTelling = before["send_holiday"] !== findings.valueOf("default_send_holiday");
  if (isTelling) findings.found(name, "kept", "an update with the birthday message only");
  else findings.unknown(name, "ambiguous: the fields have their defaults");
}

/** Finds out what null does in an update, with every other field set. */
export async function probeNull(experiment: ScratchExperiment, subject: Subject): Promise<void> {
  const { findings, evidence } = experiment;
  const name = "null_in_update";
  const seen = new Set<string>();
  for (const field of ["birthday_message", "send_holiday"]) {
    if (!(await restore(experiment, subject))) {
      return findings.unknown(name, "the scratch group could not be set up");
    }
    const before = subject.fields[field];
    const outcome = await change(experiment, subject, { ...subject.whole, [field]: null });
    if (outcome.kind === "refused") {
      evidence.note("invalid", `an update with ${field} null`, outcome, true);
      seen.add("refused");
    } else if (outcome.kind !== "success") return findings.unknown(name, whyUnclear(outcome));
    else if (subject.fields[field] === null) seen.add("cleared");
    else if (subject.fields[field] === before) seen.add("ignored");
    else seen.add(`${field} becomes ${shortText(subject.fields[field])}`);
  }
  const how = "updates with birthday_message null and with send_holiday null";
  const [value] = seen;
  return seen.size === 1
    ? findings.found(name, value, how)
    : findings.odd(name, [...seen].join(" or "), how);
}

/** Sets every field of the subject, unless it has those values. @returns whether it has them now */
async function restore(experiment: ScratchExperiment, subject: Subject): Promise<boolean> {
  const isWhole = (): boolean =>
    Object.entries(subject.whole).every(([field, value]) => subject.fields[field] === value);
  if (!isWhole()) await change(experiment, subject, subject.whole);
  return isWhole();
}

/** Finds out what an unknown field does in an update, which has to agree with a create. */
export async function probeUnknownField(
  experiment: ScratchExperiment,
  subject: Subject,
): Promise<void> {
  const { findings, evidence } = experiment;
  const name = "unknown_fields";
  const inCreate = findings.valueOf(name);
  if (inCreate === undefined) return;
  const body = { ...subject.whole, sendctl_probe: "unknown" };
  const outcome = await change(experiment, subject, body);
  if (outcome.kind === "refused") {
    evidence.note("invalid", "an update with an unknown field", outcome, true);
  } else if (outcome.kind !== "success") return findings.unknown(name, whyUnclear(outcome));
  const inUpdate = outcome.kind === "refused" ? "refused" : "ignored";
  if (inUpdate === inCreate) findings.found(name, inCreate, "a create and an update");
  else findings.odd(name, `${inCreate} in a create, ${inUpdate} in an update`, "both");
}

/** Finds out whether values of other types are accepted. */
export async function probeTypes(experiment: ScratchExperiment, subject: Subject): Promise<void> {
  const { findings, evidence } = experiment;
  const name = "types";
  const seen = new Set<string>();
  const how = "updates with texts and numbers as send_birthday, and a number as birthday_message";
  const tries: readonly ((
    current: boolean,
  ) => readonly [field: string, sent: unknown, stored: unknown])[] = [
    (current) => ["send_birthday", String(!current), !current],
    (current) => ["send_birthday", current ? 0 : 1, !current],
    (current) => ["send_birthday", current ? "0" : "1", !current],
    () => ["birthday_message", 12345, "12345"],
  ];
  for (const one of tries) {
    const current = subject.fields["send_birthday"];
    if (typeof current !== "boolean") {
      return findings.unknown(name, "no response shows send_birthday");
    }
    const [field, sent, stored] = one(current);
    const outcome = await change(experiment, subject, { ...subject.whole, [field]: sent });
    if (outcome.kind === "refused") {
      evidence.note("invalid", `a value of another type`, outcome, true);
      seen.add("strict");
    } else if (outcome.kind !== "success") return findings.unknown(name, whyUnclear(outcome));
    else if (subject.fields[field] === stored) seen.add("coerced");
    else seen.add(`${field} ${shortText(sent)} becomes ${shortText(subject.fields[field])}`);
  }
  const [value] = seen;
  return seen.size === 1
    ? findings.found(name, value, how)
    : findings.odd(name, [...seen].join(" or "), how);
}
