import { SendctlError } from "../contract/error.ts";

/** An address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Converts the system's error for an address that cannot be used to a SendctlError "usage".
 *
 * @param hostOption the option for the host
 * @param portOption the option for the port
 */
export function portFailure(
  error: unknown,
  { host, port }: Address,
  hostOption = "--host",
  portOption = "--port",
): unknown {
  const otherHost = [`pass another host with ${hostOption}`, hostOption];
  const noAddress = [`${host} has no address`, ...otherHost];
  const free = `pass another port with ${portOption}, or 0 for any free port`;
  const unprivileged = `pass a port above 1023 with ${portOption}`;
  const meanings: Readonly<Record<string, readonly string[]>> = {
    EADDRINUSE: [`port ${port} of ${host} is in use`, free, portOption],
    EACCES: [`permission denied for port ${port}`, unprivileged, portOption],
    EADDRNOTAVAIL: [`${host} is not an address of this machine`, ...otherHost],
    EAI_AGAIN: noAddress,
    ENOTFOUND: noAddress,
  };
  const [message, hint, setting = ""] = meanings[(error as NodeJS.ErrnoException).code ?? ""] ?? [];
  if (message === undefined) return error;
  return new SendctlError("usage", message, { hint, setting, cause: error });
}
