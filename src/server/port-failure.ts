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
  const otherHost = `pass another host with ${hostOption}`;
  const noAddress = [`${host} has no address`, otherHost, hostOption];
  const meanings: Readonly<Record<string, readonly string[]>> = {
    EADDRINUSE: [
      `port ${port} of ${host} is in use`,
      `pass another port with ${portOption}, or 0 for any free port`,
      portOption,
    ],
    EACCES: [
      `permission denied for port ${port}`,
      `pass a port above 1023 with ${portOption}`,
      portOption,
    ],
    EADDRNOTAVAIL: [`${host} is not an address of this machine`, otherHost, hostOption],
    EAI_AGAIN: noAddress,
    ENOTFOUND: noAddress,
  };
  const [message, hint, setting = ""] = meanings[(error as NodeJS.ErrnoException).code ?? ""] ?? [];
  if (message === undefined) return error;
  return new SendctlError("usage", message, { hint, setting, cause: error });
}
