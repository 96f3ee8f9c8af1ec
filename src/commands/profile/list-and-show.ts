import type { Session } from "../../command/session.ts";
import { defineCommand, optional } from "../../command/define-command.ts";
import { withoutPassword, profileDatabase } from "../../config/database.ts";
import { findProfile } from "../../config/profiles.ts";
import type { Reply } from "../../contract/service.ts";
import { doneReply, lineOf, onePageReply } from "../../service/lines.ts";
import { type RecordView, absentOr, profileView } from "../../output/views.ts";
import type { Cell } from "../../output/table/table.ts";
import { counted } from "../../core/text.ts";
import { emptyValue, refuseDryRun } from "../../command/arguments.ts";
import { durationText } from "../../core/time.ts";
import type { Settings } from "../../config/settings.ts";

export const profileList = defineCommand({
  path: "profile list",
  aliases: ["ls"],
  summary: "List profiles",
  description: "List profiles, with the last characters of their keys.",
  examples: ["sendctl profile list", "sendctl profile list --json"],
  async run(context) {
    refuseDryRun(context);
    const { protections } = context.config.read();
    const columns = [...profileView.columns, ...(protections.size === 0 ? [] : ["protection"])];
    return context.output.page(profilePage(context), { ...profileView, columns });
  },
});

/** Returns the profiles in the order of the config file. */
export function profilePage({ config }: Pick<Session, "config">): Reply {
  const { file, current, profiles, protections } = config.read();
  const data = [...profiles].map(([name, profile]) => {
    const { mode, baseUrl } = profile;
    const protection =
      protections.size === 0 ? undefined : config.settingsWith(name).protection.service;
    const database = profileDatabase(profile, file);
    return {
      name,
      current: name === current,
      mode: mode === "local" || baseUrl === undefined ? "embedded" : "remote",
      base_url: baseUrl ?? null,
      database: database === undefined ? null : withoutPassword(database),
      key_ending: keyEnding(profile.secretKey),
      protection: protection?.level ?? null,
    };
  });
  return onePageReply("Profiles retrieved", data.map(lineOf));
}

/** Returns the last characters of a key, which identify it; none if they would half reveal it. */
export function keyEnding(key: string | undefined): string | null {
  if (key === undefined) return null;
  return key.length > 8 ? `…${key.slice(-4)}` : "…";
}

export const profileShow = defineCommand({
  path: "profile show",
  summary: "Show the settings and their sources",
  description:
    "Show the settings that apply with a profile (default: the current one), and the source of each: a flag, the environment, the profile or the default.",
  args: { name: optional("profile name", { takes: "profile" }) },
  examples: ["sendctl profile show", "sendctl profile show prod --json"],
  async run(context, { name }) {
    refuseDryRun(context);
    if (name === "") throw emptyValue("NAME", "sendctl profile list");
    // Settings take the name as that of --profile, which an error would name.
    if (name !== undefined) findProfile(context.config.read(), name);
    const settings = context.config.settingsWith(name);
    const { baseUrl, keyCommand, sources } = settings;
    const { service: protection } = settings.protection;
    const data = {
      // A profile in the argument counts as a flag.
      profile: { value: settings.profile ?? null, from: sources.profile },
      mode: { value: baseUrl === undefined ? "embedded" : "remote", from: sources.mode },
      base_url: { value: baseUrl ?? null, from: sources.baseUrl },
      secret_key: { value: keyEnding(settings.secretKey), from: sources.secretKey },
      ...(keyCommand && { key_command: { value: keyCommand, from: sources.secretKey } }),
      ...(settings.behaviour && {
        behaviour: { value: await behaviourText(context, settings), from: "profile" },
      }),
      database: { value: settings.database, from: sources.database },
      ...(protection && { protection: { value: protection.level, from: "profile" } }),
      ...(settings.readOnly && { read_only: { value: true, from: settings.readOnly } }),
      output: { value: settings.format, from: sources.output },
      timeout: { value: durationText(settings.timeout), from: sources.timeout },
      retries: { value: settings.retries, from: sources.retries },
    };
    return context.output.record(doneReply("Settings", data), view, { isNarrated: false });
  },
});

interface Setting {
  readonly value: unknown;
  readonly from: string;
}

/** Shows a setting and its source. */
const settingCell = (setting: unknown): Cell => {
  const { value, from } = setting as Setting;
  const cell = absentOr(value);
  return value === null ? cell : { ...cell, text: `${cell.text} (${from})` };
};

const view: RecordView = {
  key: "profile",
  fields: {
    profile: {
      label: "Profile",
      cell: (setting) => {
        const { value, from } = setting as Setting;
        return settingCell({ value, from: from === "profile" ? "config file" : from });
      },
    },
    mode: { label: "Mode", cell: settingCell },
    base_url: { label: "Base URL", cell: settingCell },
    secret_key: { label: "Secret key", cell: settingCell },
    key_command: { label: "Key command", cell: settingCell },
    behaviour: { label: "Behaviour", cell: settingCell },
    database: { label: "Database", cell: settingCell },
    protection: { label: "Protection", cell: settingCell },
    read_only: { label: "Read-only", cell: settingCell },
    output: { label: "Output", cell: settingCell },
    timeout: { label: "Timeout", cell: settingCell },
    retries: { label: "Retries", cell: settingCell },
  },
  columns: [],
};

/** Returns how many switches of the service are known, and how many differ from the rulings. */
async function behaviourText(context: Session, settings: Settings): Promise<string> {
  const { changedSwitches } = await import("../../contract/behaviour.ts");
  const behaviour = await context.config.behaviourOf(settings);
  const known = Object.keys(behaviour).length;
  const count = Object.keys(changedSwitches(behaviour)).length;
  const differ = count === 1 ? "differs" : "differ";
  return `${count} of ${counted(known, "known switch", "known switches")} ${differ} from the engine`;
}
