import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { databaseFile } from "../config/database.ts";
import type { Maintenance } from "../engine/maintenance/maintenance.ts";
import { keyHint } from "../config/target.ts";
import { configFile, readConfig } from "../config/profiles.ts";
import { SendctlError } from "../core/error.ts";
import { nodeVersion } from "../core/runtime.ts";
import {
  type Check,
  type CheckInput,
  type Finding,
  type Findings,
  failed,
  failedWith,
  ok,
  openToOthers,
  warning,
} from "./check.ts";
import { counted, sizeText } from "../core/text.ts";

/** Checks of this installation: Node, the addon, the config file, the settings, the profile and the source of the key. */
export const installationChecks: readonly Check[] = [
  { name: "node", run: () => ({ node: checkNode() }) },
  { name: "addon", run: async (input) => ({ addon: await checkAddon(input) }) },
  { name: "config", run: (input) => ({ config: checkConfig(input) }) },
  { name: "settings", run: checkSettings },
  { name: "profile", run: (input) => ({ profile: checkProfile(input) }) },
  { name: "key", run: (input) => ({ key: checkKey(input) }) },
];

/** The oldest supported version of Node, as in package.json. */
const minVersion = [20, 19] as const;

function checkNode(): Finding {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isOld = major < minVersion[0] || (major === minVersion[0] && minor < minVersion[1]);
  if (!isOld) return ok(nodeVersion);
  return failed(
    `${nodeVersion} is too old`,
    `install Node ${minVersion.join(".")} or later`,
    "usage",
  );
}

async function checkAddon({ settings }: CheckInput): Promise<Finding> {
  const { loadAddon, loadIncluded } = await import("../engine/sqlite/database-file.ts");
  try {
    loadAddon();
    return ok(`better-sqlite3 ${loadIncluded === undefined ? "loads" : "is included and loads"}`);
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    const isUsed = settings.baseUrl === undefined && settings.databaseUrl === undefined;
    return isUsed ? failedWith(error) : warning(error.message, error.hint ?? null);
  }
}

function checkConfig({ runtime }: CheckInput): Finding {
  const file = configFile(runtime);
  if (file === undefined) return ok("none: the home folder is unknown");
  const { profiles } = readConfig(file);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    return ok(`${file} does not exist: nothing is configured`);
  }
  const count = counted(profiles.size, "profile");
  const exposure = openToOthers(file);
  if (exposure === undefined) return ok(`${file}, ${count}`);
  return warning(`${file}, ${count}, ${exposure.detail}`, exposure.fix);
}

/** Returns the errors in the settings, except those in the config file. */
function checkSettings({ settingsErrors, runtime }: CheckInput): Findings {
  const file = configFile(runtime);
  const others = settingsErrors.filter(
    ({ details }) => details.file === undefined || details.file !== file,
  );
  return { settings: others.map((error) => failedWith(error)) };
}

/** Returns whether an error of the settings concerns the config, not a variable alone. */
function isOfConfig({ field }: SendctlError): boolean {
  return field === undefined || !field.startsWith("SENDCTL_");
}

function checkProfile({ settings, settingsErrors }: CheckInput): Finding {
  const { profile, sources, protection } = settings;
  if (settingsErrors.some(isOfConfig)) return ok("not checked, because the config cannot be used");
  const level = { confirm: "; its target is protected", "read-only": "; its target is read-only" };
  const guard = protection.service ? level[protection.service.level] : "";
  if (profile === undefined) return ok(`none${guard}`);
  const by: Readonly<Record<string, string>> = {
    flag: "--profile",
    environment: "SENDCTL_PROFILE",
    profile: "the config file",
  };
  return ok(`${profile}, chosen by ${by[sources.profile] ?? "default"}${guard}`);
}

function checkKey({ settings, keyFailure }: CheckInput): Finding {
  const { secretKey, keyCommand, sources, baseUrl, withheldKey } = settings;
  if (keyFailure !== undefined) return failedWith(keyFailure);
  if (secretKey !== undefined) {
    const ofProfile = keyCommand === undefined ? "the profile" : "the key command of the profile";
    const source = sources.secretKey === "environment" ? "SENDCTL_SECRET_KEY" : ofProfile;
    // The end of a short key would not leave enough of it secret.
    const ending = secretKey.length > 8 ? `, ends in ${secretKey.slice(-4)}` : "";
    return ok(`from ${source}${ending}`);
  }
  if (baseUrl === undefined) return ok("none; the default integration needs none");
  const other = withheldKey && `; ${withheldKey.key} belongs to ${withheldKey.target}`;
  return failed(`none${other ?? ""}`, keyHint(settings), "auth");
}

/** Checks the embedded database. */
export const databaseChecks: readonly Check[] = [
  {
    name: "database",
    run: (input) => {
      const { databaseUrl } = input.settings;
      return databaseUrl === undefined ? checkFile(input) : checkPostgres(input, databaseUrl);
    },
  },
  { name: "permissions", run: checkPermissions },
];

async function checkFile(input: CheckInput): Promise<Findings> {
  const { settings, runtime, signal } = input;
  const file = databaseFile(settings);
  if (!existsSync(file)) {
    return {
      database: folderFor(file, settings.sources.database !== "default"),
      ...(await keyFinding(input, async () => false)),
    };
  }
  const { createMaintenance } = await import("../engine/sqlite/maintenance.ts");
  const { refuseReadOnly } = await import("../engine/sqlite/database-file.ts");
  const { migrations } = await import("../engine/sqlite/schema.ts");
  refuseReadOnly(file);
  const database = createMaintenance(file, runtime.folder, () => signal);
  const { bytes, schema_version } = await database.info();
  return {
    database: ok(`${file}, ${sizeText(bytes)}`),
    schema: schema(schema_version ?? 0, migrations.length),
    integrity: await integrityOf(database, bytes),
    ...(await keyFinding(input, database.knowsKey)),
  };
}

/** Checks an embedded database on PostgreSQL, without creating anything. */
async function checkPostgres(
  input: CheckInput,
  given: NonNullable<CheckInput["settings"]["databaseUrl"]>,
): Promise<Findings> {
  const { runtime, timeout } = input;
  const { createPostgresMaintenance } = await import("../engine/postgres/maintenance.ts");
  const { readAddress } = await import("../engine/postgres/address.ts");
  const { newestVersion } = await import("../engine/postgres/schema.ts");
  const isEncrypted = readAddress(given.url, runtime).tls !== false;
  const database = createPostgresMaintenance(given, runtime, timeout);
  const { exists, schema_version, postgres_version } = await database.info();
  const encryption = isEncrypted ? "encrypted" : "not encrypted";
  return {
    database: ok(`${given.shown}, PostgreSQL ${postgres_version}, ${encryption}`),
    schema: schema(schema_version ?? undefined, newestVersion),
    ...(await keyFinding(input, async (hash) => exists && database.knowsKey(hash))),
  };
}

/** Maximum size of a database that is checked, in bytes: it takes a few seconds. */
const maxCheckedBytes = 256 * 1024 * 1024;

/** Checks whether a database that does not exist yet can be created. @param isGiven its path */
function folderFor(file: string, isGiven: boolean): Finding {
  let folder = dirname(file);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const otherFile = "use another file with --database";
  try {
    if (!statSync(folder).isDirectory()) {
      const detail = `${file} cannot be created: ${folder} is not a folder`;
      return failed(detail, otherFile, "database");
    }
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (isGiven && folder !== dirname(file)) {
      const detail = `neither ${file} nor its folder exists yet; the first write creates them`;
      return warning(detail, "check its path");
    }
    return ok(`${file} does not exist yet; it is created by the first write`);
  } catch {
    const detail = `${file} cannot be created: ${folder} is not writable`;
    return failed(detail, `make the folder writable, or ${otherFile}`, "database");
  }
}

function schema(version: number | undefined, newest: number): Finding {
  if (version === undefined) return ok("does not exist yet; it is created by the first write");
  if (version === newest) return ok(`version ${version}`);
  return ok(`version ${version} of ${newest}: the next command updates it`);
}

async function integrityOf({ check }: Maintenance, size: number): Promise<Finding> {
  if (size > maxCheckedBytes) {
    const detail = "not checked: the database is too large for a quick check";
    return warning(detail, "run `sendctl local check`");
  }
  const { problems, problem_count: count, hint } = await check();
  const [first] = problems;
  if (first === undefined) return ok("no problems found");
  const more = count === 1 ? "" : ` (and ${count - 1} more)`;
  return failed(`damaged: ${first.detail}${more}`, hint, "database");
}

/** Checks the key against the database: the engine accepts only keys that it issued. */
async function keyFinding(
  { settings: { secretKey, keyBelongsTo } }: CheckInput,
  knowsKey: (hash: Uint8Array) => Promise<boolean>,
): Promise<Findings> {
  if (secretKey === undefined) return {};
  const { keyHash } = await import("../engine/administration/administration.ts");
  const unset = "unset SENDCTL_SECRET_KEY, or log in with another, to use the default integration";
  const found = (await knowsKey(keyHash(secretKey)))
    ? ok("issued by this database")
    : keyBelongsTo === undefined
      ? failed("the key in use was not issued by this database", unset, "auth")
      : ok(`not used: it belongs to ${keyBelongsTo}`);
  return { "key accepted": found };
}

function checkPermissions({ settings: { database } }: CheckInput): Findings {
  if (!existsSync(database)) return {};
  const exposure = openToOthers(database);
  if (exposure !== undefined) return { permissions: warning(exposure.detail, exposure.fix) };
  return { permissions: ok("only you can use the file") };
}
