import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { databaseFile } from "../config/database.ts";
import { SendctlError } from "../core/error.ts";
import { sizeText } from "../core/text.ts";
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
      return databaseUrl === undefined ? checkFile(input) : checkPostgres(input, databaseUrl.url);
    },
  },
  { name: "permissions", run: checkPermissions },
];

async function checkFile(input: CheckInput): Promise<Findings> {
  const { settings, timeout } = input;
  const file = databaseFile(settings);
  const hash = await hashToCheck(input);
  const size = sizeOf(file);
  if (size === undefined)
    return { database: folderFor(file), ...keyFinding(input, hash, () => false) };
  const { examineDatabase, newestVersion } =
    await import("../engine/sqlite/maintenance/integrity.ts");
  return examineDatabase(file, timeout, ({ stepsBehind, problems, knowsKey }) => ({
    database: ok(`${file}, ${sizeText(size)}`),
    schema: attempt(() => schema(newestVersion - stepsBehind(), newestVersion)),
    integrity: attempt(() => integrity(problems())),
    ...keyFinding(input, hash, knowsKey),
  }));
}

/** Checks an embedded database on PostgreSQL, without creating anything. */
async function checkPostgres(input: CheckInput, url: string): Promise<Findings> {
  const { settings, runtime, timeout } = input;
  const { examinePostgres } = await import("../engine/postgres/maintenance.ts");
  const hash = await hashToCheck(input);
  const found = await examinePostgres(url, runtime, timeout, hash);
  const encryption = found.isEncrypted ? "encrypted" : "not encrypted";
  return {
    database: ok(`${settings.database}, PostgreSQL ${found.server}, ${encryption}`),
    schema: schema(found.version, found.newestVersion),
    ...keyFinding(input, hash, () => found.knowsKey),
  };
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
function attempt(check: () => Finding): Finding {
  try {
    return check();
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

/** Returns the hash of the key in use, if the embedded engine would need to know it. */
async function hashToCheck({ settings }: CheckInput): Promise<Uint8Array | undefined> {
  const { baseUrl, secretKey } = settings;
  if (baseUrl !== undefined || secretKey === undefined) return undefined;
  const { keyHash } = await import("../engine/administration/administration.ts");
  return keyHash(secretKey);
}

/** Checks the key in use against the database: the embedded engine accepts only keys that it issued. */
function keyFinding(
  { settings: { keyBelongsTo } }: CheckInput,
  hash: Uint8Array | undefined,
  knowsKey: (hash: Uint8Array) => boolean,
): Findings {
  if (hash === undefined) return {};
  const finding = attempt(() => {
    if (knowsKey(hash)) return ok("issued by this database");
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
