import { relative, resolve } from "node:path";
import type { Diagnostic } from "../core/error.ts";
import type { Runtime } from "../core/runtime.ts";
import { visibleText } from "../core/text.ts";

/**
 * Returns errors in files as commands of the workflow, which GitHub shows beside the lines; "" unless a runner of GitHub
 * Actions reads what is printed. GitHub looks for a file from the workspace, whatever folder a step runs in.
 */
export function annotations(
  diagnostics: readonly Diagnostic[],
  runtime: Pick<Runtime, "env" | "folder">,
): string {
  const { env } = runtime;
  if (env["GITHUB_ACTIONS"] !== "true") return "";
  const workspace = env["GITHUB_WORKSPACE"];
  const shown = (file: string): string => {
    const path = workspace ? relative(workspace, resolve(runtime.folder, file)) : file;
    return path.startsWith("..") || path === "" ? file : path;
  };
  return diagnostics
    .map(({ file, line, column, message }) => {
      const escaped = dataOf(shown(file)).replaceAll(":", "%3A").replaceAll(",", "%2C");
      const place = `file=${escaped},line=${line},col=${column}`;
      return `::error ${place}::${dataOf(message)}\n`;
    })
    .join("");
}

/** Escapes a text: a line end in it would begin another command. */
function dataOf(text: string): string {
  return visibleText(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
