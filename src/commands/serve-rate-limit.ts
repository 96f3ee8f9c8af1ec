import { Failure } from "../failure.ts";
import { wholeNumber } from "./arguments.ts";

/** Requests a second a key: ruling 24. @throws Failure "usage" where it is no number from 1 */
export function rateLimitOf(given: string | undefined): number | undefined {
  const number = wholeNumber(given, "--rate-limit");
  if (number === undefined || number >= 1) return number;
  throw new Failure("usage", `--rate-limit is "${given}": it must be from 1 requests a second`);
}
