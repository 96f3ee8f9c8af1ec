import { resolve } from "node:path";
import { databaseUrl, type DatabaseUrl } from "./config/database-url.ts";
import type { Settings } from "./config/settings.ts";
import type { CopySource, CopyTarget } from "./engine/copied.ts";
import { copyDatabase, type CopyReport, type CopyStep } from "./engine/copy.ts";
import { Failure } from "./failure.ts";
import type { World } from "./world.ts";

/**
 * Copies the engine's database to another, each on whatever it is.
 *
 * @param to the name of a file, or an address
 * @param hide told of passwords in it
 * @throws Failure "usage" for one that makes no sense or holds records, "database" where it can't be used
 */
export async function copyTo(
  to: string,
  settings: Pick<Settings, "database" | "databaseUrl">,
  world: Pick<World, "env" | "home" | "folder">,
  hide: (password: string) => void,
  step: CopyStep,
): Promise<CopyReport> {
  if (to === "") throw new Failure("usage", "--to is empty: name a file or an address");
  const url = databaseUrl(to, "--to");
  for (const password of url?.passwords ?? []) hide(password);
  const source = await sourceOf(settings, world);
  const target = await targetOf(url ?? resolve(world.folder, to), world);
  return copyDatabase(source, target, step);
}

async function sourceOf(
  { database, databaseUrl }: Pick<Settings, "database" | "databaseUrl">,
  world: Pick<World, "env" | "home">,
): Promise<CopySource> {
  if (databaseUrl !== undefined) {
    const { postgresCopySource } = await import("./engine/postgres/copy-records.ts");
    return postgresCopySource(databaseUrl, world);
  }
  const { sqliteCopySource } = await import("./engine/sqlite/copy-records.ts");
  return sqliteCopySource(database);
}

async function targetOf(
  to: DatabaseUrl | string,
  world: Pick<World, "env" | "home">,
): Promise<CopyTarget> {
  if (typeof to !== "string") {
    const { postgresCopyTarget } = await import("./engine/postgres/copy-records.ts");
    return postgresCopyTarget(to, world);
  }
  const { sqliteCopyTarget } = await import("./engine/sqlite/copy-records.ts");
  return sqliteCopyTarget(to);
}
