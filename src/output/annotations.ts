import type { Diagnostic } from "../core/error.ts";
import { visibleText } from "../core/text.ts";

/** Returns whether a runner of GitHub Actions reads what is printed. */
export function readsAnnotations(env: Readonly<Record<string, string | undefined>>): boolean {
  return env["GITHUB_ACTIONS"] === "true";
}

/** Returns errors in files as commands of the workflow, which GitHub shows beside the lines. */
export function annotations(diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map(({ file, line, column, message }) => {
      const place = `file=${propertyOf(file)},line=${line},col=${column}`;
      return `::error ${place}::${dataOf(message)}\n`;
    })
    .join("");
}

/** Escapes a text: a line end in it would begin another command. */
function dataOf(text: string): string {
  return visibleText(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function propertyOf(text: string): string {
  return dataOf(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
