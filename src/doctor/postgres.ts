import { SendctlError } from "../contract/error.ts";
import { failed, failedWith, ok, type CheckResult } from "./check-result.ts";
import type { CheckInput } from "./check.ts";

const foreign = "the key in use was not issued by this database";
const unset = "unset SENDCTL_SECRET_KEY, or log in with another, to use the default integration";

/** Checks an embedded database on PostgreSQL, without creating anything. */
export async function checkPostgres(
  { settings: { baseUrl, database, secretKey, keyBelongsTo }, runtime, timeout }: CheckInput,
  url: string,
): Promise<readonly CheckResult[]> {
  const { examinePostgres } = await import("../engine/postgres/maintenance/examine.ts");
  const { keyHash } = await import("../engine/administration/keys.ts");
  const isKeyChecked = baseUrl === undefined && secretKey !== undefined;
  const hash = isKeyChecked ? await keyHash(secretKey) : undefined;
  try {
    const found = await examinePostgres(url, runtime, timeout, hash);
    const encryption = found.isEncrypted ? "encrypted" : "not encrypted";
    const { version, newestVersion } = found;
    const isKnown = found.knowsKey === true;
    return [
      ok("database", `${database}, PostgreSQL ${found.server}, ${encryption}`),
      ok("schema", schemaText(version, newestVersion)),
      ...(isKeyChecked
        ? [
            isKnown
              ? ok("key accepted", "issued by this database")
              : keyBelongsTo === undefined
                ? failed("key accepted", foreign, unset, "auth")
                : ok("key accepted", `not used: it belongs to ${keyBelongsTo}`),
          ]
        : []),
    ];
  } catch (error) {
    if (error instanceof SendctlError) return [failedWith("database", error)];
    throw error;
  }
}

function schemaText(version: number | undefined, newest: number): string {
  if (version === undefined) return "does not exist yet; it is created at first use";
  if (version === newest) return `version ${version}`;
  if (version > newest) return `version ${version}, with which version ${newest} is compatible`;
  return `version ${version} of ${newest}: the next command updates it`;
}
