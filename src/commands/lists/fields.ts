import type { RecordView } from "../../output/views.ts";
import { invalidValue } from "../arguments.ts";

/**
 * Returns a field of a list.
 *
 * @param option that names the field: `--sort`
 * @throws SendctlError "usage" that names the fields there are
 */
export function knownField(field: string, view: RecordView, option: string): string {
  if (Object.hasOwn(view.fields, field)) return field;
  const names = Object.keys(view.fields).join(", ");
  throw invalidValue("field", field, option, `use one of ${names}`);
}
