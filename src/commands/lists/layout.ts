import type { Output } from "../../output/output.ts";
import type { RecordView } from "../../output/views.ts";
import type { FurtherOptions } from "../common-options.ts";
import { invalidValue } from "../arguments.ts";

/**
 * Returns the view with the columns, header and separator chosen by options.
 *
 * @throws SendctlError "usage" for unknown columns and for options that the output format does not support
 */
export function layoutOf(
  { columns, noHeader, null: isNullSeparated }: FurtherOptions,
  view: RecordView,
  output: Pick<Output, "supports">,
): RecordView {
  if (columns !== undefined) output.supports("a list with chosen columns", ["table", "csv"]);
  if (noHeader === true) output.supports("a list without a header", ["table", "csv"]);
  if (isNullSeparated === true) output.supports("a NUL-separated list", ["id"]);
  const chosen = columns?.split(",").map((name) => knownField(name.trim(), view, "--columns"));
  return {
    ...view,
    ...(chosen === undefined ? {} : { columns: chosen }),
    layout: {
      hasChosenColumns: chosen !== undefined,
      isHeaderless: noHeader === true,
      isNullSeparated: isNullSeparated === true,
    },
  };
}

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
