import { operations } from "../../contract/operations.ts";
import type { Embedded } from "../../engine/embedded.ts";
import style from "./page.css?raw";
import page from "./page.html?raw";
// oxlint-disable-next-line import/default -- it is a text
import script from "./page.js?raw";

/** What the page of `--inspect` shows beyond what the control listener has. */
export type Inspect = ReturnType<typeof createInspect>;

/** The files of the page, by path. */
export const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "": ["text/html; charset=utf-8", page],
  "page.css": ["text/css; charset=utf-8", style],
  "page.js": ["text/javascript; charset=utf-8", script],
};

/** The page loads nothing from elsewhere, runs nothing but its script, and stands in no frame. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
};

/** Creates what the page reads. @param baseUrl of the service */
export function createInspect(engine: Embedded, baseUrl: string) {
  const perPage = engine.changed.per_page_max ?? 1000;
  /** Returns the newest records of a list, up to 1000, in its page. */
  const list = async (name: "sender-id.list" | "group.list"): Promise<unknown> => {
    const service = await engine.service(undefined);
    const { envelope } = await service[name]({ query: { perPage } });
    return envelope?.data;
  };
  return {
    state: () => ({ base_url: baseUrl, operations: Object.keys(operations) }),
    senderIds: () => list("sender-id.list"),
    groups: () => list("group.list"),
  };
}
