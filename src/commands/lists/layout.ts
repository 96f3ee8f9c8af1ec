import type { Output } from "../../output/output.ts";
import type { RecordView } from "../../output/views.ts";
import type { FurtherOptions } from "../common-options.ts";
import { knownField } from "./fields.ts";

/**
 * Returns the view with the columns, header and separator that options ask for.
 *
 * @throws SendctlError "usage" for unknown columns, and for options that do not apply to the output format
 */
export function layoutOf(
  { columns, noHeader, null: isNullSeparated }: FurtherOptions,
  view: RecordView,
  output: Pick<Output, "supports">,
): RecordView {
  if (columns !== undefined) output.supports("a choice of columns", ["table", "csv"]);
  if (noHeader === true) output.supports("a list without its header", ["table", "csv"]);
  if (isNullSeparated === true) output.supports("a list separated by NUL", ["id"]);
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
