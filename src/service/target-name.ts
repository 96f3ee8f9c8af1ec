import type { Settings } from "../config/settings.ts";
import { safeText } from "../output/safe-text.ts";

/** Returns the target of a command as a question names it: `https://host (profile prod)`, or its database. */
export function targetName({
  baseUrl,
  database,
  profile,
  sources,
}: Pick<Settings, "baseUrl" | "database" | "profile" | "sources">): string {
  const origins = baseUrl === undefined ? [sources.database] : [sources.baseUrl, sources.secretKey];
  const isOfProfile = origins.includes("profile");
  const of = isOfProfile && profile !== undefined ? ` (profile ${profile})` : "";
  return safeText(`${baseUrl ?? database}${of}`);
}
