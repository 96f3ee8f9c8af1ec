import type { Capabilities } from "../../command/capabilities.ts";
import { targetOptions } from "../../config/target.ts";
import { safeText, shellWord } from "../../core/text.ts";
import { wholeNumber } from "../../command/arguments.ts";

/** Returns the command line that works on the served database. @param command its words after `sendctl` */
export function onSameDatabase({ config }: Pick<Capabilities, "config">, command: string): string {
  const options = targetOptions(config.settings, true).map(shellWord);
  return safeText(["sendctl", command, ...options].join(" "));
}

const everywhere = /^(?:0\.0\.0\.0|::)$/;

/** Returns whether only this machine can connect to an address. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);
}

/** Returns a port to listen on, if given. @throws SendctlError "usage" */
export function portOf(port: string | undefined): number | undefined {
  return wholeNumber(port, "--port", 0, 65_535);
}

/** Returns the base URL of an address, for a client on this machine. */
export function baseOf(host: string, port: number): string {
  const name = everywhere.test(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
