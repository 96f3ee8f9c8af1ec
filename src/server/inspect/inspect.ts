import { operations } from "../../contract/operations.ts";
import { succeeded, type Page, type Reply, type ShownRecord } from "../../contract/service.ts";
import type { Embedded } from "../../engine/embedded.ts";
import { faultValues } from "../faults.ts";
import style from "./page.css?raw";
import page from "./page.html?raw";
// oxlint-disable-next-line import/default -- it is a text
import script from "./page.js?raw";

/** What the page of `--inspect` shows beyond what the control listener has. */
export type Inspect = ReturnType<typeof createInspect>;

/** The files of the page, by path. */
export const files: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  "": { type: "text/html; charset=utf-8", text: page },
  "page.css": { type: "text/css; charset=utf-8", text: style },
  "page.js": { type: "text/javascript; charset=utf-8", text: script },
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

/** Most records of a list that a person looks at. */
const maxRecords = 10_000;

/** Creates the data of the page. @param baseUrl of the service */
export function createInspect(engine: Embedded, baseUrl: string) {
  // A behaviour may refuse longer pages.
  const perPage = Math.min(1000, engine.behaviour.per_page_max);
  const list = async (name: "sender-id.list" | "group.list"): Promise<readonly ShownRecord[]> => {
    const service = await engine.service(undefined);
    const records: ShownRecord[] = [];
    for (let page = 1, last = 1; page <= last && records.length < maxRecords; page += 1) {
      const reply: Reply = await service[name]({ query: { page, perPage } });
      if (!succeeded(reply)) break;
      const { data, last_page: pages } = reply.envelope!.data as Page<ShownRecord>;
      records.push(...data);
      last = pages;
    }
    return records;
  };
  return {
    state: () => ({
      base_url: baseUrl,
      operations: Object.keys(operations),
      fault_keys: faultValues,
    }),
    senderIds: () => list("sender-id.list"),
    groups: () => list("group.list"),
  };
}
