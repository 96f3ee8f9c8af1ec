import { durationText } from "../../core/time.ts";
import type { Capabilities } from "../../command/capabilities.ts";
import { targetOptions } from "../../config/target.ts";
import { SendctlError, type DatabaseProblem } from "../../core/error.ts";
import { safeText, shellWord } from "../../core/text.ts";
import { emptyValue, invalidValue, wholeNumber } from "../../command/arguments.ts";

/** Problems that end without a change of the configuration: a wrong password is not among them. */
const temporary: ReadonlySet<DatabaseProblem | undefined> = new Set(["unreachable", "locked"]);

/** Milliseconds between two attempts, and between two lines about the wait. */
const pause = 500;
const reportInterval = 5000;

/**
 * Starts a service as soon as its database can be used.
 *
 * @param wait maximum wait in milliseconds
 * @param stopped resolves when a signal asks this process to end
 * @param start starts the service; called again after a temporary failure
 * @returns undefined if the process was asked to end during the wait
 * @throws what `start` throws, after the wait
 */
export async function startWhenReachable<Started>(
  { clock, local, output }: Pick<Capabilities, "clock" | "local" | "output">,
  wait: number,
  stopped: Promise<unknown>,
  start: () => Promise<Started>,
): Promise<Started | undefined> {
  if (wait === 0) return start();
  const end = new AbortController();
  void stopped.then(() => end.abort());
  const deadline = clock.elapsed() + wait;
  let reported = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      const left = Math.max(1, Math.ceil(deadline - clock.elapsed()));
      await local.reach(AbortSignal.any([end.signal, AbortSignal.timeout(left)]));
      return await start();
    } catch (error) {
      if (end.signal.aborted) return undefined;
      const left = deadline - clock.elapsed();
      if (!isTemporary(error) || left < pause) throw error;
      if (clock.elapsed() - reported >= reportInterval) {
        reported = clock.elapsed();
        const time = durationText(Math.ceil(left / 1000) * 1000);
        await output.say(safeText(`${error.message}; waiting up to ${time}`));
      }
      // A signal ends it as well.
      await clock.sleep(pause).catch(() => {});
      if (end.signal.aborted) return undefined;
    }
  }
}

function isTemporary(error: unknown): error is SendctlError {
  return error instanceof SendctlError && temporary.has(error.database);
}

/** Returns the command line that works on the served database. @param command its words after `sendctl` */
export function onSameDatabase({ config }: Pick<Capabilities, "config">, command: string): string {
  const options = targetOptions(config.settings, true).map(shellWord);
  return safeText(["sendctl", command, ...options].join(" "));
}

/** Starts a service. If it may not change the schema, its error names the command that does. */
export async function namingMigration<Started>(
  context: Pick<Capabilities, "config">,
  start: () => Promise<Started>,
): Promise<Started> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof SendctlError) || error.database !== "unmigrated") throw error;
    const { kind, message, database } = error;
    const hint = onSameDatabase(context, "local migrate");
    throw new SendctlError(kind, message, { hint, database, cause: error });
  }
}

/** Characters of a host name, or of an address with its zone. */
const hostText = /^[\p{L}\p{N}._:%-]+$/u;
const everywhere = /^(?:0\.0\.0\.0|::)$/;

/** Returns whether only this machine can connect to an address. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);
}

/** Returns an address to listen on. @throws SendctlError "usage" */
export function hostOf(host = "127.0.0.1", setting: string): string {
  if (host === "") throw emptyValue(setting, "pass an address of this machine");
  if (hostText.test(host)) return host;
  throw invalidValue("address", host, setting, "pass a name or an address of this machine");
}

/** Returns a port to listen on, if given. @throws SendctlError "usage" */
export function portOf(port: string | undefined, setting: string): number | undefined {
  return wholeNumber(port, setting, 0, 65_535);
}

/** Returns the base URL of an address, for a client on this machine. */
export function baseOf(host: string, port: number): string {
  const name = everywhere.test(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
