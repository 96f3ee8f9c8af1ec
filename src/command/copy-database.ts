import { resolve } from "node:path";
import { databaseUrl } from "../config/database.ts";
import type { Settings } from "../config/settings.ts";
import {
  copyDatabase,
  type CopyReport,
  type CopySource,
  type CopyStep,
  type CopyTarget,
} from "../engine/maintenance/copy.ts";
import { SendctlError } from "../core/error.ts";
import type { Runtime } from "../core/runtime.ts";

/**
 * Copies the database of the engine to another, on SQLite or PostgreSQL.
 *
 * @param to a file name or a postgres:// address
 * @param hide called with each password in the address
 * @throws SendctlError "usage" for an invalid address or a target with records, "database" if the target cannot be
 *   used
 */
export async function copyTo(
  to: string,
  settings: Pick<Settings, "database" | "databaseUrl">,
  runtime: Pick<Runtime, "env" | "home" | "folder">,
  hide: (password: string) => void,
  step: CopyStep,
): Promise<CopyReport> {
  if (to === "") {
    throw new SendctlError("usage", "--to is empty", {
      hint: "pass a file name or a postgres:// address",
      setting: "--to",
    });
  }
  const url = databaseUrl(to, "--to");
  for (const password of url?.passwords ?? []) hide(password);
  const { database, databaseUrl: from } = settings;
  const source: CopySource =
    from === undefined
      ? (await sqlite()).sqliteCopySource(database)
      : (await postgres()).postgresCopySource(from, runtime);
  const target: CopyTarget =
    url === undefined
      ? (await sqlite()).sqliteCopyTarget(resolve(runtime.folder, to))
      : (await postgres()).postgresCopyTarget(url, runtime);
  return copyDatabase(source, target, step);
}

const sqlite = () => import("../engine/sqlite/copy-records.ts");
const postgres = () => import("../engine/postgres/copy-records.ts");
