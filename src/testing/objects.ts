import { SendctlError, type Diagnostic } from "../core/error.ts";
import { invalid } from "../server/control/control.ts";

/** Returns whether a value names a file. Commands read standard input for `-`, which belongs to the test runner here. */
export function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value !== "-";
}

/**
 * Returns the JSON text of an object, one value a line, for the reader of a file.
 *
 * @param field the option that it was passed as
 * @throws SendctlError "usage" with the field, for what JSON has no text for
 */
export function textOf(given: object, field: string): string {
  try {
    // Undefined if its toJSON returns nothing.
    return JSON.stringify(given, null, 1) ?? "null";
  } catch (error) {
    // V8 draws a circular structure on further lines.
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
    throw invalid(field, `${field} cannot be written as JSON: ${reason}`);
  }
}

/** Returns an error of a file that was written with `textOf`, or of a file with this name. */
export function errorIn(
  { message, file, line, column }: Diagnostic,
  field: string,
  text: string | undefined,
  others: number,
): SendctlError {
  const more = others === 0 ? "" : ` (and ${others} more)`;
  if (text === undefined) {
    const problem = `${file}:${line}:${column}: ${message}${more}`;
    return new SendctlError("usage", `${field}: ${problem}`, { field, file });
  }
  const place = `${field}${pathAt(text, line)}`;
  // Most messages begin with the name of the field, which the place ends with.
  const [, name = ""] = /\.(\w+)$/.exec(place) ?? [];
  const said = message.startsWith(`${name} `) ? message.slice(name.length) : `: ${message}`;
  return invalid(place, `${place}${said}${more}`);
}

/** Returns the path of the value on a line of a JSON text with one value a line: `.groups[0].name`. */
function pathAt(text: string, line: number): string {
  /** The steps to the current value; a number counts the items of an array. */
  const path: (string | number)[] = [];
  let shown: string[] = [];
  for (const content of text.split("\n").slice(0, line)) {
    const trimmed = content.trim();
    if (/^[\]}]/.test(trimmed)) {
      path.pop();
      continue;
    }
    const depth = path.length - 1;
    const [, key] = /^"((?:[^"\\]|\\.)*)":/.exec(trimmed) ?? [];
    if (depth >= 0) {
      const last = path[depth]!;
      path[depth] = key ?? (typeof last === "number" ? last + 1 : last);
    }
    shown = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
    if (trimmed.endsWith("{")) path.push("");
    if (trimmed.endsWith("[")) path.push(-1);
  }
  return shown.join("");
}
