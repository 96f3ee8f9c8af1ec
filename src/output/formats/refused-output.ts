import { SendctlError } from "../../core/error.ts";
import { orList } from "../../core/text.ts";

/** Returns the error for output that --query does not apply to. @param noun the output: "a plan" */
export function queryRefusal(noun: string): SendctlError {
  const details = { hint: "omit --query", setting: "--query" };
  return new SendctlError("usage", `--query does not apply to ${noun}`, details);
}

/** Returns the error for output in a format that does not support it. @param noun the output: "a plan" */
export function formatRefusal(
  noun: string,
  name: string,
  supported: readonly string[],
): SendctlError {
  const hint = `use --output ${orList(supported)}`;
  return new SendctlError("usage", `${noun} cannot be printed as ${name}`, { hint });
}
