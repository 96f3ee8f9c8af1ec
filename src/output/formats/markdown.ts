import { safeText } from "../../core/text.ts";
import type { Format } from "./format.ts";
import { lineFormat, printText } from "./line-format.ts";
import { jsonLines } from "./plain-formats.ts";

/**
 * Returns text as Markdown that shows exactly that text: no link, mention, image, HTML or table cell begins or ends in
 * it. GitHub makes links even of addresses that are written with entities, so comments divide `http:`, `www.` and
 * `name@host`.
 */
export function code(text: string): string {
  const escaped = safeText(text)
    .replace(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/&#(?:58|64);|(?<=www)&#46;/gi, "<!-- -->$&");
  return `<code>${escaped}</code>`;
}

/** The Markdown of reports. A command without one refuses this format: see src/config/settings.ts. */
export const markdownFormat: Format = {
  ...lineFormat(() => jsonLines),
  report: ({ data, markdown }, printer) => {
    const pieces = markdown?.(data) ?? [];
    return printText({ message: "", data, text: () => pieces }, printer);
  },
};
