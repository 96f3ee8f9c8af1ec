import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { databaseFile } from "../config/database.ts";
import { sizeText } from "../core/text.ts";
import type { Maintenance } from "../engine/maintenance/maintenance.ts";
import {
  openToOthers,
  failed,
  ok,
  warning,
  type Check,
  type CheckInput,
  type Finding,
  type Findings,
} from "./check.ts";

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
