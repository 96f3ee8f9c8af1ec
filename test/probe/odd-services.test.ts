import { describe, expect, onTestFinished, test } from "vitest";
import type { SwitchName } from "../../src/contract/behaviour.ts";
import { envelope, page } from "../client/sample-responses.ts";
import { startService } from "../client/scripted-service.ts";
import { runProbe, switchesOf } from "./run-probe.ts";

type Row = Readonly<Record<string, unknown>>;

/** How a service differs from a plain one. A response of undefined is a refusal. */
interface Odd {
  readonly senderIds?: readonly Row[];
  /** Returns the page of a list. */
  readonly list?: (rows: readonly Row[], query: URLSearchParams) => object | undefined;
  /** Returns the record that a fetch shows. */
  readonly fetch?: (row: Row | undefined) => Row | undefined;
  /** Returns the record that a create stores, or an existing one. */
  readonly create?: (record: Row, rows: readonly Row[]) => Row | undefined;
  /** Returns the record after an update. */
  readonly update?: (row: Row, body: Row) => Row | undefined;
  /** Status and body of refusals, by the path. */
  readonly refusal?: (path: string) => readonly [status: number, body: object];
}

const fresh = { send_birthday: false, send_holiday: null, birthday_message: null };

const refused = { status: false, message: "Refused", data: null };

/** Probes a service with one group of its own. Returns what was found, its groups, and its writes. */
async function probeOdd({
  senderIds = [],
  list = (rows, query) => plainPage(rows, query),
  fetch = (row) => row,
  create = (record) => record,
  update = (row, body) => ({ ...row, ...body }),
  refusal = () => [422, refused],
}: Odd) {
  let groups: readonly Row[] = [{ id: 1, name: "Mine", ...fresh }];
  let lastId = 1;
  const shownFor = (method: string, path: string, query: URLSearchParams, body: Row): unknown => {
    const row = groups.find(({ id }) => path === `/v1/group/${String(id)}`);
    if (path === "/v1/sender-id") return list(senderIds, query);
    if (path === "/v1/group" && method === "GET") return list(groups, query);
    if (path === "/v1/group") {
      lastId += 1;
      const shown = create({ id: lastId, ...fresh, ...body }, groups);
      if (shown?.["id"] === lastId) groups = [...groups, shown];
      return shown;
    }
    if (!path.startsWith("/v1/group/")) return undefined;
    if (method === "GET") return fetch(row);
    const changed = row && (method === "PUT" ? update(row, body) : row);
    if (changed === undefined) return undefined;
    groups = groups.flatMap((one) => (one !== row ? [one] : method === "PUT" ? [changed] : []));
    return changed;
  };
  const service = await startService(({ method, target, body }, { respond }) => {
    const { pathname, searchParams } = new URL(target, "http://localhost");
    const sent = body === "" ? {} : (JSON.parse(body) as Row);
    const shown = shownFor(method, pathname, searchParams, sent);
    if (shown !== undefined) respond(200, envelope(shown));
    else respond(...refusal(pathname));
  });
  onTestFinished(service.close);
  const { baseUrl, received } = service;
  const args = ["probe", "--scratch-group", "--yes", "--json"];
  const run = await runProbe(args, { baseUrl, key: "sk_odd" });
  expect(run.exitCode, run.stderr).toBe(0);
  return { run, found: switchesOf(run), groups, methods: received.map(({ method }) => method) };
}

function plainPage(rows: readonly Row[], query: URLSearchParams): object | undefined {
  const [perPage, number] = ["perPage", "page"].map((name) => Number(query.get(name) ?? "15"));
  const current = query.has("page") ? number! : 1;
  if (perPage! < 1 || perPage! > 1000) return undefined;
  const shown = rows.slice((current - 1) * perPage!, current * perPage!);
  return page(shown, { per_page: perPage!, current_page: current, total: rows.length });
}

const odd: Readonly<Record<string, readonly [SwitchName, unknown, Odd]>> = {
  "has only a sender ID that is named by digits": [
    "sender_id_means",
    "unknown: not observable: no suitable sender ID is listed",
    {
      senderIds: [{ id: 7, name: "12" }],
      update: (row, { sender_id, ...body }) =>
        ["12", undefined].includes(sender_id as string) ? { ...row, ...body } : undefined,
    },
  ],
  "shows the first group as the second page": [
    "page_parameter",
    "unknown: ambiguous: the second page does not show the second group",
    {
      list: (rows, query) => {
        const size = Number(query.get("perPage") ?? "15");
        return page(rows.slice(0, size), {
          per_page: size,
          current_page: Number(query.get("page") ?? "1"),
        });
      },
    },
  ],
  "ignores perPage": [
    "per_page_max",
    "unknown: ambiguous: perPage seems ignored",
    { list: (rows) => page(rows, { per_page: 15 }) },
  ],
  "resets omitted flags to false": [
    "omitted_in_update",
    "reset",
    { update: (row, body) => ({ ...row, send_birthday: false, send_holiday: false, ...body }) },
  ],
  "shows other flags than were sent": [
    "omitted_in_update",
    "unknown: no update of every field of the scratch group succeeds",
    { update: (row, body) => ({ ...row, ...body, send_holiday: true }) },
  ],
  "shows the message from before an update": [
    "omitted_in_update",
    "unknown: ambiguous: the response does not show the new birthday message",
    {
      update: (row, body) => ("name" in body ? { ...row, ...body } : row),
    },
  ],
  "refuses null for one of two fields": [
    "null_in_update",
    "cleared or refused",
    { update: (row, body) => (body["send_holiday"] === null ? undefined : { ...row, ...body }) },
  ],
  "sets a default for null": [
    "null_in_update",
    'birthday_message becomes "Hello" or cleared',
    {
      update: (row, body) => ({
        ...row,
        ...body,
        birthday_message: body["birthday_message"] ?? "Hello",
      }),
    },
  ],
  "refuses unknown fields in updates alone": [
    "unknown_fields",
    "ignored or refused",
    { update: (row, body) => ("sendctl_probe" in body ? undefined : { ...row, ...body }) },
  ],
  "returns the existing group for its name": [
    "group_name_unique",
    "the existing group is returned",
    { create: (record, rows) => rows.find(({ name }) => name === record["name"]) ?? record },
  ],
  "refuses with 200, and only unknown paths": [
    "error_status",
    "unknown: ambiguous: only one kind of refusal was seen",
    {
      list: (rows, query) => plainPage(rows, query) ?? page(rows, { per_page: 15 }),
      fetch: (row) => row ?? { id: 1 },
      update: (row, body) => ({ ...row, ...body }),
      refusal: (path) => [path.startsWith("/v1/sender-id") ? 500 : 200, refused],
    },
  ],
  "refuses some requests with 200": [
    "error_status",
    "a 2xx for some refusals",
    { refusal: (path) => [path.startsWith("/v1/sendctl-probe") ? 200 : 422, refused] },
  ],
  "refuses groups and sender IDs with other statuses": [
    "not_found_status",
    "404 or 422",
    { refusal: (path) => [path.startsWith("/v1/group/") ? 404 : 422, refused] },
  ],
  "sends no uuid": ["group_lookup", "unknown: no response shows a uuid", {}],
};

describe("a probe of a service that", () => {
  test.for(Object.entries(odd))("%s", async ([, [name, value, options]]) => {
    const { found, groups, run } = await probeOdd(options);
    expect(found[name]).toBe(value);
    expect(
      groups.map((group) => group["name"]),
      run.stderr,
    ).toStrictEqual(["Mine"]);
  });

  test("shows another group for the id of a new one: it changes and deletes nothing", async () => {
    const { found, methods, groups, run } = await probeOdd({
      fetch: (row) => row && { ...row, name: "Customers" },
    });
    expect(found["group_update_requires"]).toMatch(/^unknown: .*another group/);
    expect([methods.includes("PUT"), methods.includes("DELETE")]).toStrictEqual([false, false]);
    const left = groups.slice(1).map(({ name }) => name);
    expect(run.data?.leftovers.map(({ name }) => name)).toStrictEqual(left);
  });

  test.for(["Mine", "Send", "sendctl-probe"])(
    "responds to creates with its own group, named %s: it stays",
    async (name) => {
      const { found, methods, groups } = await probeOdd({
        create: (_, rows) => ({ ...rows[0], name }),
      });
      expect(found["create_status"]).toMatch(/^unknown: .*does not show the group/);
      expect([methods.includes("DELETE"), groups.length]).toStrictEqual([false, 1]);
    },
  );
});
