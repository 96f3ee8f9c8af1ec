import type { OperationName } from "../contract/operations.ts";
import type { AnyInput, Request } from "../contract/request.ts";
import { SendctlError, type Check } from "../core/error.ts";
import { shellWord } from "../core/safe-text.ts";
import type { RemoteOptions } from "./options.ts";

export const mayHaveSucceeded = "The request may have succeeded";

/** Returns the error for a write with an unknown outcome whose lookup failed or was interrupted. */
export function afterLoss(unknown: SendctlError, failure: unknown): unknown {
  if (!(failure instanceof SendctlError)) return failure;
  if (failure.kind !== "cancelled" && failure.kind !== "terminated") return unknown;
  const { message, hint, check } = unknown;
  const details = { hint, check, cause: failure };
  return new SendctlError(failure.kind, `Interrupted. ${message}`, details);
}

/** Returns the command that shows whether a write succeeded. */
export function checkCommand(
  name: OperationName,
  input: AnyInput,
  { targetOptions = [] }: RemoteOptions,
): Check {
  const options = [...targetOptions];
  const { name: given } = (input.body ?? {}) as { readonly name?: unknown };
  // An invalid body may have any value here, even one without a text.
  const named = typeof given === "string" ? given : "NAME";
  if (name === "group.create") {
    return { command: "sendctl group list", keys: [], options: [...nameOption(named), ...options] };
  }
  const key = input.path?.["id"] ?? input.path?.["name"] ?? named;
  const command = `sendctl ${name.slice(0, name.indexOf("."))} fetch`;
  // After "--" a key that begins with a dash is not read as an option.
  return key.startsWith("-")
    ? { command, keys: [], options: [...options, "--", shellWord(key)] }
    : { command, keys: [shellWord(key)], options };
}

/** Returns the command that shows whether a request succeeded. */
export function checkRequest({ path }: Request, { targetOptions = [] }: RemoteOptions): Check {
  return { command: "sendctl api GET", keys: [shellWord(path)], options: targetOptions };
}

function nameOption(name: string): readonly string[] {
  return name.startsWith("-") ? [`--name=${shellWord(name)}`] : ["--name", shellWord(name)];
}
