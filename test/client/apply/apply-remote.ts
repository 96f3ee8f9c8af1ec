import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Home } from "../../support/home.ts";
import { answering, envelope, group, page, senderId } from "../sample-responses.ts";
import { runOn, type RemoteRun, type RunOptions } from "../run-remote.ts";
import { startService, type Conversation, type Script } from "../scripted-service.ts";

/** A service's records. A test may change the arrays when its script handles writes. */
export interface Records {
  readonly senderIds?: readonly Stored[];
  readonly groups?: readonly Stored[];
}

/** Responds to every GET from records, and passes every write to a script. */
export function serveRecords(records: Records, write: Script): Script {
  const { script } = liveService(records);
  return (received, conversation) =>
    (received.method === "GET" ? script : write)(received, conversation);
}

type Stored = Readonly<Record<string, unknown>>;

/** How a live service differs from a plain one. */
interface Live extends Records {
  /** Returns a record as it is stored. */
  readonly stored?: (record: Stored) => Stored;
  /** Returns the records after a create, of which the last one is the response. */
  readonly create?: (record: Stored, records: readonly Stored[]) => readonly Stored[];
  /** Handles a request itself if it returns true. */
  readonly instead?: (...request: Parameters<Script>) => boolean;
}

/** A service that carries out every write. Its lists show only records that are not hidden. */
export function liveService({ create = (record, records) => [...records, record], ...live }: Live) {
  const tables = { "sender-id": live.senderIds ?? [], group: live.groups ?? [] };
  const hidden = new Set<unknown>();
  const stored = live.stored ?? ((record) => record);
  let lastId = 100;
  const script: Script = (received, conversation) => {
    if (live.instead?.(received, conversation) === true) return;
    const { method, target, body } = received;
    const [, , resource, key = ""] = target.replace(/\?.*/, "").split("/");
    const kind = resource as keyof typeof tables;
    const rows = tables[kind];
    const field = kind === "group" ? "id" : "name";
    const found = rows.find((row) => String(row[field]) === decodeURIComponent(key));
    const show = (data: unknown): void => conversation.respond(200, envelope(data));
    if (method === "POST") {
      lastId += 1;
      const fields = { ...(kind === "group" ? group : senderId), id: lastId, uuid: undefined };
      tables[kind] = [...create(stored({ ...fields, ...JSON.parse(body) }), rows)];
      return show(tables[kind].at(-1));
    }
    if (key === "") return show(page(rows.filter(({ id }) => !hidden.has(id))));
    if (found === undefined) return conversation.respond(404, refusal);
    if (method === "GET") return show(found);
    tables[kind] = rows.filter((row) => row !== found);
    if (method === "PUT")
      tables[kind] = [...tables[kind], stored({ ...found, ...JSON.parse(body) })];
    show(method === "PUT" ? tables[kind].at(-1) : null);
  };
  return { script, tables, hidden };
}

/** Starts a service for a test, and returns a function that runs commands with a manifest against it. */
async function applyingTo(script: Script) {
  const service = await startService(script);
  onTestFinished(service.close);
  return async (home: Home, manifest: object, args = "apply --yes", options: RunOptions = {}) => {
    await writeFile(join(home.folder, "m.json"), JSON.stringify(manifest));
    return runOn(service, [...args.split(" "), "m.json"], { ...options, home: home.folder });
  };
}

/** Responds to a create with the created group. */
export function created(body: string, conversation: Conversation): void {
  const { index, respond } = conversation;
  respond(201, envelope({ ...group, send_birthday: false, ...JSON.parse(body), id: index }));
}

/** Starts a live service for a test, and returns it with a function that runs commands against it. */
export async function openLive(home: Home, live: Live) {
  const { script, ...rest } = liveService(live);
  const apply = await applyingTo(script);
  return {
    ...rest,
    apply: (manifest: object, args?: string, options?: RunOptions) =>
      apply(home, manifest, args, options),
  };
}

/** Runs `apply` or `diff` with a manifest. @param args the command and its options */
export async function applyManifest(
  home: Home,
  manifest: object,
  script: Script,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RemoteRun> {
  return (await applyingTo(script))(home, manifest, args.join(" "), options);
}

/** Returns the writes of a run, as "PUT /v1/group/12". */
export const writesOf = ({ requests }: RemoteRun): readonly string[] =>
  requests.filter((line) => !line.startsWith("GET "));

/** The body of a refusal. */
export const refusal = { status: false, message: "Refused", data: null };

/** Ways in which a write fails; after the last three the outcome is unknown. */
export const failures: Readonly<Record<string, Script>> = {
  "a conflict": answering(409, refusal),
  "a refusal": answering(422, refusal),
  "a 500": answering(500, refusal),
  "a 503 of a gateway": answering(503, "<html>"),
  "a lost response": (_, { hangUp }) => hangUp(),
  "a garbled response": answering(200, "<html>"),
};

interface Step {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly outcome: string;
}

/** Returns the outcome of each step. */
export function outcomesOf({ stdout }: RemoteRun): Readonly<Record<string, string>> {
  const { data } = JSON.parse(stdout) as { readonly data: { readonly steps: readonly Step[] } };
  return Object.fromEntries(
    data.steps.map(({ action, kind, name, outcome }) => [`${action} ${kind} ${name}`, outcome]),
  );
}
