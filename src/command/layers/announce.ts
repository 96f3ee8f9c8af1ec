import type { Settings } from "../../config/settings.ts";
import { databaseName, targetName } from "../../config/target.ts";
import { isRead } from "../../contract/request.ts";
import { safeText } from "../../core/text.ts";
import type { Output } from "../../output/output.ts";
import type { Layer } from "./layer.ts";

/**
 * Creates what names the target of a command on stderr, once, before the first change: a service always, a database at a
 * terminal only.
 */
export function createAnnouncer(settings: Settings, output: Output) {
  let announcement: Promise<void> | undefined;
  const name = (target: string, isProtected: boolean): Promise<void> => {
    const line = safeText(`→ ${target}`);
    return (announcement ??= output.say(isProtected ? (style) => style.bad(line) : line));
  };
  const service = (): Promise<void> =>
    name(targetName(settings), settings.protection.service !== undefined);
  const database = async (): Promise<void> => {
    if (!output.isStderrTerminal()) return;
    await name(databaseName(settings), settings.protection.database !== undefined);
  };
  const chosen = settings.baseUrl === undefined ? database : service;
  const layer: Layer = async ({ method }, next) => {
    if (!isRead(method)) await chosen();
    return next();
  };
  return {
    layer,
    /** Names the target, whatever it is. */
    service,
    /** Names the database, even if a service is chosen. */
    database,
    /** Names the service or the database that is chosen. */
    chosen,
  };
}
