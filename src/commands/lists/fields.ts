import type { RecordView } from "../../output/views.ts";
import { invalidValue } from "../arguments.ts";

/**
 * Returns the name of a field after checking that the list has it.
 *
 * @param option the option that names it: `--sort`
 * @throws SendctlError "usage" with the known fields
 */
export function knownField(field: string, view: RecordView, option: string): string {
  if (Object.hasOwn(view.fields, field)) return field;
  const names = Object.keys(view.fields).join(", ");
  throw invalidValue("field", field, option, `use one of ${names}`);
}
