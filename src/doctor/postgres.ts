import { SendctlError } from "../contract/error.ts";
import { fault, faultOf, fine, type CheckResult } from "./check.ts";
import type { CheckInput } from "./with-timeout.ts";

const foreign = "the key in use was not issued by this database";
const unset = "unset SENDCTL_SECRET_KEY, or log in with another, to use the default integration";

/** The engine's database where it is on PostgreSQL; nothing of it is made. */
export async function lookAtPostgres(
  { settings: { baseUrl, database, secretKey, keyBelongsTo }, runtime, timeout }: CheckInput,
  url: string,
): Promise<readonly CheckResult[]> {
  const { examinePostgres } = await import("../engine/postgres/maintenance/examine.ts");
  const { keyHash } = await import("../engine/administration/keys.ts");
  const isKeyForIt = baseUrl === undefined && secretKey !== undefined;
  const hash = isKeyForIt ? await keyHash(secretKey) : undefined;
  try {
    const found = await examinePostgres(url, runtime, timeout, hash);
    const encryption = found.isEncrypted ? "encrypted" : "not encrypted";
    const { version, newestVersion } = found;
    const isKnown = found.knowsKey === true;
    return [
      fine("database", `${database}, PostgreSQL ${found.server}, ${encryption}`),
      fine("schema", schemaText(version, newestVersion)),
      ...(isKeyForIt
        ? [
            isKnown
              ? fine("key accepted", "issued by this database")
              : keyBelongsTo === undefined
                ? fault("key accepted", foreign, unset, "auth")
                : fine("key accepted", `not used: it belongs to ${keyBelongsTo}`),
          ]
        : []),
    ];
  } catch (error) {
    if (error instanceof SendctlError) return [faultOf("database", error)];
    throw error;
  }
}

function schemaText(version: number | undefined, newest: number): string {
  if (version === undefined) return "is not there yet: it is made at first use";
  if (version === newest) return `version ${version}`;
  return `version ${version} of ${newest}: the next command updates it`;
}
