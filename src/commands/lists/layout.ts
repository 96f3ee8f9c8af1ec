import type { Output } from "../../output/output.ts";
import type { RecordView } from "../../output/views.ts";
import type { FurtherOptions } from "../common-options.ts";
import { knownField } from "./fields.ts";

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
