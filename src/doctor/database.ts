import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { databaseFile } from "../config/database.ts";
import { SendctlError } from "../core/error.ts";
import { sizeText } from "../core/text.ts";
import type { Maintenance } from "../engine/maintenance/maintenance.ts";
import {
  openToOthers,
  failed,
  failedWith,
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
    isForDatabase: true,
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
  const size = sizeOf(file);
  if (size === undefined) {
    return { database: folderFor(file), ...(await keyFinding(input, async () => false)) };
  }
  const { createMaintenance } = await import("../engine/sqlite/maintenance.ts");
  const { refuseReadOnly } = await import("../engine/sqlite/database-file.ts");
  const { migrations } = await import("../engine/sqlite/schema.ts");
  refuseReadOnly(file);
  const database = createMaintenance(file, runtime.folder, () => signal);
  const version = await attempt(async () =>
    schema((await database.info()).schema_version ?? 0, migrations.length),
  );
  return {
    database: ok(`${file}, ${sizeText(size)}`),
    schema: version,
    // Of the tables of another version, nothing is known.
    ...(version.status === "ok" && {
      integrity: await attempt(async () => integrity(await problemsOf(database, size))),
    }),
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

/** Returns the problems of a database; undefined if it is too large to look for them. */
async function problemsOf(
  { check }: Maintenance,
  size: number,
): Promise<readonly string[] | undefined> {
  if (size > maxCheckedBytes) return undefined;
  return (await check()).problems.map(({ detail }) => detail);
}

/** Returns the size in bytes; undefined if the file does not exist. @throws SendctlError "database" */
function sizeOf(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // A parent of the path is a file.
    if (code === "ENOTDIR") return undefined;
    throw new SendctlError("database", `the database ${file} cannot be examined (${code})`, {
      hint: "check the permissions of its folder",
      cause: error,
    });
  }
}

/** Checks whether a database that does not exist yet can be created at first use. */
function folderFor(file: string): Finding {
  let folder = dirname(file);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const otherFile = "use another file with --database";
  try {
    if (!statSync(folder).isDirectory()) {
      const detail = `${file} cannot be created: ${folder} is not a folder`;
      return failed(detail, otherFile, "database");
    }
    accessSync(folder, constants.W_OK | constants.X_OK);
    return ok(`${file} does not exist yet; it is created at first use`);
  } catch {
    const detail = `${file} cannot be created: ${folder} is not writable`;
    return failed(detail, `make the folder writable, or ${otherFile}`, "database");
  }
}

/** Returns what a part of a check found, or its error. */
async function attempt(check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof SendctlError) return failedWith(error);
    throw error;
  }
}

function schema(version: number | undefined, newest: number): Finding {
  if (version === undefined) return ok("does not exist yet; it is created at first use");
  if (version === newest) return ok(`version ${version}`);
  return ok(`version ${version} of ${newest}: the next command updates it`);
}

function integrity(problems: readonly string[] | undefined): Finding {
  if (problems === undefined) {
    const detail = "not checked: the database is too large for a quick check";
    return warning(detail, "run `sendctl local check`");
  }
  const [first] = problems;
  if (first === undefined) return ok("no problems found");
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  const fix = "restore it from a backup (`sendctl local restore`), or move it away to start again";
  return failed(`damaged: ${first}${more}`, fix, "database");
}

/** Checks the key in use against the database: the embedded engine accepts only keys that it issued. */
async function keyFinding(
  { settings: { baseUrl, secretKey, keyBelongsTo } }: CheckInput,
  knowsKey: (hash: Uint8Array) => Promise<boolean>,
): Promise<Findings> {
  if (baseUrl !== undefined || secretKey === undefined) return {};
  const { keyHash } = await import("../engine/administration/administration.ts");
  const finding = await attempt(async () => {
    if (await knowsKey(await keyHash(secretKey))) return ok("issued by this database");
    if (keyBelongsTo !== undefined) return ok(`not used: it belongs to ${keyBelongsTo}`);
    return failed(
      "the key in use was not issued by this database",
      "unset SENDCTL_SECRET_KEY, or log in with another, to use the default integration",
      "auth",
    );
  });
  return { "key accepted": finding };
}

function checkPermissions({ settings: { database } }: CheckInput): Findings {
  if (!existsSync(database)) return {};
  const exposure = openToOthers(database);
  if (exposure !== undefined) return { permissions: warning(exposure.detail, exposure.fix) };
  return { permissions: ok("only you can use the file") };
}
