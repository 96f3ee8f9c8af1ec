import { exitCodes } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { fault, faultOf, fine, type Finding } from "./finding.ts";
import type { Patient } from "./patient.ts";

const foreign = "the key in use was not issued by this database";
const unset = "unset SENDCTL_SECRET_KEY, or log in with another, to use the default integration";

/** The engine's database where it is on PostgreSQL; nothing of it is made. */
export async function lookAtPostgres(
  { settings: { baseUrl, database, secretKey }, world, patience }: Patient,
  url: string,
): Promise<readonly Finding[]> {
  const { examinePostgres } = await import("../engine/postgres/examine.ts");
  const { keyHash } = await import("../engine/keys.ts");
  const isKeyForIt = baseUrl === undefined && secretKey !== undefined;
  const hash = isKeyForIt ? await keyHash(secretKey) : undefined;
  try {
    const found = await examinePostgres(url, world, patience, hash);
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
              : fault("key accepted", foreign, unset, exitCodes.key),
          ]
        : []),
    ];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isOfUse = error.kind === "usage";
    return [faultOf("database", error, isOfUse ? exitCodes.usage : exitCodes.database)];
  }
}

function schemaText(version: number | undefined, newest: number): string {
  if (version === undefined) return "is not there yet: it is made at first use";
  if (version === newest) return `version ${version}`;
  return `version ${version} of ${newest}: the next command updates it`;
}
