import type { Reply } from "../contract/service.ts";
import { safeText } from "../io/safe-text.ts";

/** One line for people: what the service said, and what it said of each field. */
export function refusalLine({ status, envelope }: Reply): string {
  const message = envelope?.message ?? `The service answered ${status}`;
  if (status === 409) return safeText(message);
  const fields = Object.entries(envelope?.errors ?? {}).map(
    ([field, faults]) => `${field} ${faults.join(", ")}`,
  );
  return safeText(fields.length === 0 ? message : `${message}: ${fields.join("; ")}`);
}
