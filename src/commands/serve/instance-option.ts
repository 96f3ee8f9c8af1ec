import { hostname } from "node:os";
import { SendctlError } from "../../contract/error.ts";
import { emptyValue, invalidValue } from "../arguments.ts";

/** Characters of a name that no log line needs to escape. */
const nameForm = /^[A-Za-z0-9._:@/-]{1,64}$/;

/**
 * Returns the name of this server in its log.
 *
 * @param given the value of `--instance` (default: the name of this machine)
 * @throws SendctlError "usage" for an invalid name
 */
export function instanceOf(given: string | undefined): string {
  const source = "--instance";
  if (given === undefined)
    return (
      hostname()
        .replace(/[^\w.:@/-]/g, "-")
        .slice(0, 64) || "localhost"
    );
  if (given === "") throw emptyValue(source, "pass a name for the log, such as api-1");
  // The message does not repeat a key.
  if (given.includes("sk_")) {
    const hint = "pass a name for the log, such as api-1";
    throw new SendctlError("usage", `${source} looks like a secret key`, { hint });
  }
  if (nameForm.test(given)) return given;
  throw invalidValue("name", given, source, "use up to 64 letters, digits and ._:@/-");
}
