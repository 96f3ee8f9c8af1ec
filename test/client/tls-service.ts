import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answering, envelope, group } from "./sample-responses.ts";
import { startService, type Script, type ScriptedService } from "./scripted-service.ts";

function fixture(name: string): string {
  return join(import.meta.dirname, "fixtures", name);
}

/** The value of NODE_EXTRA_CA_CERTS with which the test certificates are trusted. */
export const authority = fixture("authority.pem");

export type Certificate = "service" | "other-name" | "expired" | "self-signed";

/** Starts an HTTPS service. @param withAuthority whether to send the authority's certificate, too */
export function startTlsService(
  certificate: Certificate,
  withAuthority = false,
  script: Script = answering(200, envelope(group)),
): Promise<ScriptedService> {
  const chain = [`${certificate}.pem`, ...(withAuthority ? ["authority.pem"] : [])];
  return startService(script, undefined, {
    key: readFileSync(fixture("service.key")),
    cert: chain.map((name) => readFileSync(fixture(name), "utf8")).join("\n"),
  });
}
