import type { SwitchName } from "../../contract/behaviour.ts";
import type { Fields } from "../outcome.ts";
import { message, wholeCreate, type Attempt, type ScratchExperiment } from "./context.ts";
import type { Creation, ScratchGroup } from "./groups.ts";
import { probeSpacesInCreates } from "./spaces.ts";

export interface CreatedFirst {
  readonly group: ScratchGroup;
  /** Statuses of creates whose responses arrived. */
  readonly statuses: number[];
}

/** Returns the body of an update with every visible field, whose flags differ from the defaults where possible. */
export function wholeUpdate(name: string, sendBirthday: unknown, sendHoliday: unknown): Fields {
  return {
    name,
    send_birthday: sendBirthday !== true,
    send_holiday: sendHoliday !== true,
    birthday_message: message,
  };
}

/** Experiments with creates. Each group is deleted as soon as its response is judged, except the first one. */
export async function probeCreates(
  experiment: ScratchExperiment,
  { group: first, statuses }: CreatedFirst,
): Promise<void> {
  const { findings, groups } = experiment;
  /** Creates a group, calls `judge`, and deletes the group. */
  const attempt = async (
    fields: (name: string) => Fields,
    judge: (created: Fields | undefined, creation: Creation) => void,
  ): Promise<Creation> => {
    const creation = await groups.create(fields);
    judge(creation.kind === "created" ? creation.group.created : undefined, creation);
    if (creation.kind === "created") {
      if (creation.status !== undefined) statuses.push(creation.status);
      // An id that another create returned belongs to the first group.
      if (creation.group.id !== first.id) await groups.remove(creation.group);
    }
    return creation;
  };
  await probeRequired(experiment, attempt);
  await probeSameName(experiment, first, attempt);
  await probeUpdateFields(experiment, first, attempt);
  await probeSpacesInCreates(experiment, attempt);
  findings.found("default_send_holiday", first.created["send_holiday"], "the response to a create");
  if (first.created["send_holiday"] === undefined) {
    findings.unknown("default_send_holiday", "the response to a create does not show it");
  }
}

function whyOf(creation: Creation): string {
  return creation.kind === "unclear" ? creation.why : "it was accepted";
}

/** Returns a create without a name. The group is found by its birthday message. */
function nameless(unique: string): Fields {
  return { send_birthday: false, birthday_message: unique };
}

async function probeRequired(
  { findings, evidence }: ScratchExperiment,
  attempt: Attempt,
): Promise<void> {
  const name = "group_create_requires";
  const defaults = {
    send_birthday: "default_send_birthday",
    birthday_message: "default_birthday_message",
  } as const satisfies Readonly<Record<string, SwitchName>>;
  const judgeDefaults = (
    created: Fields | undefined,
    fields: readonly (keyof typeof defaults)[],
  ) => {
    for (const field of created === undefined ? [] : fields) {
      const how = "a create without it";
      if (created![field] === undefined) findings.unknown(defaults[field], "no response shows it");
      else findings.found(defaults[field], created![field], how);
    }
  };
  const refusedField = (creation: Creation, field: string): void => {
    if (creation.kind === "refused")
      evidence.note("invalid", `a create without ${field}`, creation, true);
  };

  const withoutName = await attempt(nameless, (_, creation) => refusedField(creation, "name"));
  const nameOnly = await attempt(
    (unique) => ({ name: unique }),
    (created) => judgeDefaults(created, ["send_birthday", "birthday_message"]),
  );
  const isNameNeeded = withoutName.kind === "refused";
  if (withoutName.kind === "created") {
    findings.odd(name, "not the name", "a create without a name");
  } else if (nameOnly.kind === "created" && isNameNeeded) {
    findings.found(name, "name", "creates without the name, and with nothing else");
  } else if (nameOnly.kind === "unclear" || !isNameNeeded) {
    findings.unknown(name, whyOf(nameOnly.kind === "unclear" ? nameOnly : withoutName));
  }
  if (nameOnly.kind !== "refused") return;
  refusedField(nameOnly, "further fields");
  const withBirthday = await attempt(
    (unique) => ({ name: unique, send_birthday: false }),
    (created) => judgeDefaults(created, ["birthday_message"]),
  );
  const withMessage = await attempt(
    (unique) => ({ name: unique, birthday_message: message }),
    (created) => judgeDefaults(created, ["send_birthday"]),
  );
  refusedField(withBirthday, "birthday_message");
  refusedField(withMessage, "send_birthday");
  for (const field of ["default_send_birthday", "default_birthday_message"] as const) {
    if (findings.isOpen(field)) findings.unknown(field, "not observable: a create needs the field");
  }
  if (!isNameNeeded) return;
  const how = "creates with some of the fields";
  if (withBirthday.kind === "unclear" || withMessage.kind === "unclear") {
    findings.unknown(name, whyOf(withBirthday.kind === "unclear" ? withBirthday : withMessage));
  } else if (withMessage.kind === "created") {
    const either = withBirthday.kind === "created" ? " or send_birthday" : "";
    findings.odd(name, `name and birthday_message${either}`, how);
  } else {
    const isBirthdayEnough = withBirthday.kind === "created";
    findings.found(name, isBirthdayEnough ? "name_and_send_birthday" : "every_field", how);
  }
}

async function probeSameName(
  { findings, evidence }: ScratchExperiment,
  first: ScratchGroup,
  attempt: Attempt,
): Promise<void> {
  const name = "group_name_unique";
  const how = "a create with the name of another scratch group";
  await attempt(
    () => wholeCreate(first.name),
    (_, creation) => {
      if (creation.kind === "refused") {
        evidence.note("taken", how, creation, true);
        return findings.found(name, true, how);
      }
      findings.unknown("taken_status", "not observable: group names need not be unique");
      if (creation.kind === "unclear") return findings.unknown(name, creation.why);
      return creation.group.id === first.id
        ? findings.odd(name, "the existing group is returned", how)
        : findings.found(name, false, how);
    },
  );
}

async function probeUpdateFields(
  { findings, evidence }: ScratchExperiment,
  first: ScratchGroup,
  attempt: Attempt,
): Promise<void> {
  const usual = first.created["send_holiday"];
  const other = usual !== true;
  let ofHoliday: "refused" | "ignored" | "stored" | undefined;
  const how = "creates with send_holiday and with sender_id";
  const name = "update_fields_in_create";
  await attempt(
    (unique) => ({ ...wholeCreate(unique), send_holiday: other }),
    (created, creation) => {
      if (creation.kind === "refused") {
        evidence.note("invalid", "a create with send_holiday", creation, true);
        ofHoliday = "refused";
      } else if (creation.kind === "unclear") findings.unknown(name, creation.why);
      else if (created?.["send_holiday"] === other) ofHoliday = "stored";
      else if (created !== undefined && created["send_holiday"] === usual) ofHoliday = "ignored";
      else findings.odd(name, "send_holiday is changed", how);
    },
  );
  const holiday = ofHoliday;
  if (holiday === "stored") findings.found(name, "stored", "a create with send_holiday");
  else if (holiday !== undefined) {
    await attempt(
      (unique) => ({ ...wholeCreate(unique), sender_id: unique }),
      (_, creation) => {
        const ofSender = creation.kind === "refused" ? "refused" : "ignored";
        if (creation.kind === "unclear") return findings.unknown(name, creation.why);
        return ofSender === holiday
          ? findings.found(name, holiday, how)
          : findings.odd(name, `send_holiday ${holiday}, sender_id ${ofSender}`, how);
      },
    );
  }
  await attempt(
    (unique) => ({ ...wholeCreate(unique), sendctl_probe: "unknown" }),
    (_, creation) => {
      if (creation.kind === "unclear") return findings.unknown("unknown_fields", creation.why);
      const isRefused = creation.kind === "refused";
      if (isRefused) evidence.note("invalid", "a create with an unknown field", creation, true);
      return findings.found("unknown_fields", isRefused ? "refused" : "ignored", "a create");
    },
  );
}
