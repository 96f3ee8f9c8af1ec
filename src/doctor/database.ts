import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { SendctlError } from "../contract/error.ts";
import { openToOthers } from "./access.ts";
import { failed, failedWith, ok, sizeText, warning, type CheckResult } from "./check-result.ts";
import type { Check, CheckInput } from "./check.ts";

/** Checks the embedded database. In remote mode its errors are reduced to warnings. */
export const databaseChecks: readonly Check[] = [
  { name: "database", run: async (input) => softened(input, await checkDatabase(input)) },
  { name: "permissions", run: checkPermissions },
];

function softened(
  { settings }: CheckInput,
  results: readonly CheckResult[],
): readonly CheckResult[] {
  if (settings.baseUrl === undefined) return results;
  return results.map((result) =>
    result.status === "error"
      ? warning(result.name, `${result.detail} (not used in remote mode)`, result.fix)
      : result,
  );
}

async function checkDatabase(input: CheckInput): Promise<readonly CheckResult[]> {
  const { databaseUrl } = input.settings;
  if (databaseUrl === undefined) return checkFile(input);
  const { checkPostgres } = await import("./postgres.ts");
  return checkPostgres(input, databaseUrl.url);
}

async function checkFile(input: CheckInput): Promise<readonly CheckResult[]> {
  const { settings, timeout } = input;
  const file = settings.database;
  const size = sizeOf(file);
  if (size instanceof SendctlError) return [failedWith("database", size)];
  if (size === undefined) return [folderFor(file), ...(await keyInNone(input))];
  const { examineDatabase, newestVersion } =
    await import("../engine/sqlite/maintenance/examine.ts");
  const database = ok("database", `${file}, ${sizeText(size)}`);
  try {
    const examined = examineDatabase(file, timeout);
    if (examined === undefined) {
      const detail = "not checked: the database is large, or has interrupted writes to recover";
      const fix = "run `sendctl local check`";
      return [database, warning("integrity", detail, fix)];
    }
    try {
      return [
        database,
        resultOf("schema", () => {
          const version = newestVersion - examined.stepsBehind();
          if (version === newestVersion) return ok("schema", `version ${version}`);
          const detail = `version ${version} of ${newestVersion}: the next command updates it`;
          return ok("schema", detail);
        }),
        resultOf("integrity", () => integrity(examined.faults())),
        ...(await keyIn(input, examined.knowsKey)),
      ];
    } finally {
      examined.close();
    }
  } catch (error) {
    if (error instanceof SendctlError) return [failedWith("database", error)];
    throw error;
  }
}

/** Returns the size in bytes; undefined if the file does not exist. */
function sizeOf(file: string): number | undefined | SendctlError {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // A parent of the path is a file.
    if (code === "ENOTDIR") return undefined;
    return new SendctlError("database", `the database ${file} cannot be examined (${code})`, {
      hint: "check the permissions of its folder",
      file,
      database: "access",
      cause: error,
    });
  }
}

/** Checks whether a database that does not exist yet can be created at first use. */
function folderFor(file: string): CheckResult {
  let folder = dirname(file);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  try {
    if (!statSync(folder).isDirectory()) {
      const detail = `${file} cannot be created: ${folder} is not a folder`;
      return failed("database", detail, "name another file with --database", "database");
    }
    accessSync(folder, constants.W_OK | constants.X_OK);
    return ok("database", `${file} does not exist yet; it is created at first use`);
  } catch {
    const detail = `${file} cannot be created: ${folder} is not writable`;
    return failed(
      "database",
      detail,
      "make the folder writable, or name another file with --database",
      "database",
    );
  }
}

/** Returns the result of a check, or its error as a failed check. */
function resultOf(name: string, check: () => CheckResult): CheckResult {
  try {
    return check();
  } catch (error) {
    if (error instanceof SendctlError) return failedWith(name, error);
    throw error;
  }
}

function integrity(problems: readonly string[] | undefined): CheckResult {
  if (problems === undefined) {
    const fix = "run `sendctl local check`";
    return warning("integrity", "not checked: the database is too large for a quick check", fix);
  }
  const [first] = problems;
  if (first === undefined) return ok("integrity", "no problems found");
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  const fix = "restore it from a backup (`sendctl local restore`), or move it away to start again";
  return failed("integrity", `damaged: ${first}${more}`, fix, "database");
}

const foreign = "the key in use was not issued by this database";
const unset = "unset SENDCTL_SECRET_KEY, or log in with another, to use the default integration";

/** Checks the key in use against the database: the embedded engine accepts only keys that it issued. */
async function keyIn(
  { settings: { baseUrl, secretKey, keyBelongsTo } }: CheckInput,
  knowsKey: (hash: Uint8Array) => boolean,
): Promise<readonly CheckResult[]> {
  if (baseUrl !== undefined || secretKey === undefined) return [];
  const { keyHash } = await import("../engine/administration/keys.ts");
  const hash = await keyHash(secretKey);
  const check = (): CheckResult =>
    knowsKey(hash)
      ? ok("key accepted", "issued by this database")
      : keyBelongsTo === undefined
        ? failed("key accepted", foreign, unset, "auth")
        : ok("key accepted", `not used: it belongs to ${keyBelongsTo}`);
  return [resultOf("key accepted", check)];
}

function keyInNone(input: CheckInput): Promise<readonly CheckResult[]> {
  return keyIn(input, () => false);
}

function checkPermissions({ settings: { database } }: CheckInput): readonly CheckResult[] {
  if (!existsSync(database)) return [];
  const isOwnFolder = basename(dirname(database)) === "sendctl";
  const exposure = openToOthers(database, isOwnFolder);
  if (exposure !== undefined) return [warning("permissions", exposure.detail, exposure.fix)];
  return [
    ok(
      "permissions",
      isOwnFolder ? "only you can use the file and its folder" : "only you can use the file",
    ),
  ];
}
