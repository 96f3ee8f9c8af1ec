import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { SendctlError } from "../contract/error.ts";
import { openToOthers } from "./access.ts";
import { fault, faultOf, fine, sizeText, warning, type CheckResult } from "./check.ts";
import type { Check, CheckInput } from "./with-timeout.ts";

/** The embedded database. Where it is not what commands use, nothing about it is worse than a warning. */
export const databaseChecks: readonly Check[] = [
  { name: "database", look: async (input) => softened(input, await lookAtDatabase(input)) },
  { name: "permissions", look: lookAtPermissions },
];

function softened(
  { settings }: CheckInput,
  results: readonly CheckResult[],
): readonly CheckResult[] {
  if (settings.baseUrl === undefined) return results;
  return results.map((finding) =>
    finding.status === "fault"
      ? warning(finding.name, `${finding.detail} (not used by the remote mode)`, finding.fix)
      : finding,
  );
}

async function lookAtDatabase(input: CheckInput): Promise<readonly CheckResult[]> {
  const { databaseUrl } = input.settings;
  if (databaseUrl === undefined) return lookAtFile(input);
  const { lookAtPostgres } = await import("./postgres.ts");
  return lookAtPostgres(input, databaseUrl.url);
}

async function lookAtFile(input: CheckInput): Promise<readonly CheckResult[]> {
  const { settings, timeout } = input;
  const file = settings.database;
  const found = sizeOf(file);
  if (found instanceof SendctlError) return [faultOf("database", found)];
  if (found === undefined) return [placeFor(file), ...(await keyInNone(input))];
  const { examineDatabase, newestVersion } =
    await import("../engine/sqlite/maintenance/examine.ts");
  const here = fine("database", `${file}, ${sizeText(found)}`);
  try {
    const examined = examineDatabase(file, timeout);
    if (examined === undefined) {
      const detail = `not checked: it is large, or was left in the middle of something`;
      const fix = "run `sendctl local check`";
      return [here, warning("integrity", detail, fix)];
    }
    try {
      return [
        here,
        told("schema", () => {
          const version = newestVersion - examined.stepsBehind();
          if (version === newestVersion) return fine("schema", `version ${version}`);
          const detail = `version ${version} of ${newestVersion}: the next command updates it`;
          return fine("schema", detail);
        }),
        told("integrity", () => integrity(examined.faults())),
        ...(await keyIn(input, examined.knowsKey)),
      ];
    } finally {
      examined.close();
    }
  } catch (error) {
    if (error instanceof SendctlError) return [faultOf("database", error)];
    throw error;
  }
}

/** In bytes; undefined where there is nothing. */
function sizeOf(file: string): number | undefined | SendctlError {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // A part of the path is a file.
    if (code === "ENOTDIR") return undefined;
    return new SendctlError("database", `the database ${file} cannot be examined (${code})`, {
      hint: "check the permissions of its folder",
      file,
      database: "access",
      cause: error,
    });
  }
}

/** What is not there yet is made at first use, where that is possible. */
function placeFor(file: string): CheckResult {
  let folder = dirname(file);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  try {
    if (!statSync(folder).isDirectory()) {
      const detail = `${file} can't be made: ${folder} is no folder`;
      return fault("database", detail, "name another file with --database", "database");
    }
    accessSync(folder, constants.W_OK | constants.X_OK);
    return fine("database", `${file} is not there yet: it is made at first use`);
  } catch {
    const detail = `${file} can't be made: ${folder} is not writable for you`;
    return fault(
      "database",
      detail,
      "make it writable, or name another with --database",
      "database",
    );
  }
}

function told(name: string, look: () => CheckResult): CheckResult {
  try {
    return look();
  } catch (error) {
    if (error instanceof SendctlError) return faultOf(name, error);
    throw error;
  }
}

function integrity(faults: readonly string[] | undefined): CheckResult {
  if (faults === undefined) {
    const fix = "run `sendctl local check`";
    return warning("integrity", "not checked: it is too large for a quick look", fix);
  }
  const [first] = faults;
  if (first === undefined) return fine("integrity", "whole");
  const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
  const fix = "restore it from a backup (`sendctl local restore`), or move it away to start again";
  return fault("integrity", `damaged: ${first}${more}`, fix, "database");
}

const foreign = "the key in use was not issued by this database";
const unset = "unset SENDCTL_SECRET_KEY, or log in with another, to use the default integration";

/** The embedded engine takes no key but its own. */
async function keyIn(
  { settings: { baseUrl, secretKey, keyBelongsTo } }: CheckInput,
  knowsKey: (hash: Uint8Array) => boolean,
): Promise<readonly CheckResult[]> {
  if (baseUrl !== undefined || secretKey === undefined) return [];
  const { keyHash } = await import("../engine/administration/keys.ts");
  const hash = await keyHash(secretKey);
  const look = (): CheckResult =>
    knowsKey(hash)
      ? fine("key accepted", "issued by this database")
      : keyBelongsTo === undefined
        ? fault("key accepted", foreign, unset, "auth")
        : fine("key accepted", `not used: it belongs to ${keyBelongsTo}`);
  return [told("key accepted", look)];
}

function keyInNone(input: CheckInput): Promise<readonly CheckResult[]> {
  return keyIn(input, () => false);
}

function lookAtPermissions({ settings: { database } }: CheckInput): readonly CheckResult[] {
  if (!existsSync(database)) return [];
  const isOwnFolder = basename(dirname(database)) === "sendctl";
  const opening = openToOthers(database, isOwnFolder);
  if (opening !== undefined) return [warning("permissions", opening.detail, opening.fix)];
  return [fine("permissions", isOwnFolder ? "file and folder are yours only" : "yours only")];
}
