import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

type ServiceRecord = Record<string, unknown> & { id: number };

/** A service in memory, with its records and the requests that it received. */
export interface SmallService {
  readonly env: Readonly<Record<string, string>>;
  readonly groups: ServiceRecord[];
  readonly senderIds: ServiceRecord[];
  /** Method and path of each request. */
  readonly requests: string[];
  /** The name of a group that it refuses to create or update, and of one whose creation it does not respond to. */
  refused: string | undefined;
  /** Whether it refuses updates alone, with 422 or another status. */
  refusesUpdates: boolean | 500;
  /** Whether it ignores null in updates. */
  ignoresNull: boolean;
  /** Whether it stores messages without the white space around them. */
  trims: boolean;
  /** Whether its lists have no contacts_count. */
  hidesContacts: boolean;
  lost: string | undefined;
  /** The method of the requests that it carries out without a response. */
  loses: string | undefined;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/**
 * Starts a service that creates groups with a name, a birthday flag and a message, as the specification says.
 *
 * @param omitted what an update does with fields that it omits
 */
export async function startSmallService(omitted: "keeps" | "resets"): Promise<SmallService> {
  const groups: ServiceRecord[] = [];
  const senderIds: ServiceRecord[] = [];
  const requests: string[] = [];
  const faults: Omit<SmallService, "env" | "groups" | "senderIds" | "requests"> = {
    refused: undefined,
    lost: undefined,
    loses: undefined,
    refusesUpdates: false,
    ignoresNull: false,
    trims: false,
    hidesContacts: false,
  };
  let lastId = 0;
  const settings = { send_birthday: false, send_holiday: null, birthday_message: null };
  const recordOf = (fields: object): ServiceRecord => {
    const id = (lastId += 1);
    return { id, ...fields, created_at: new Date().toISOString() };
  };
  const respond = async (
    method: string,
    path: string,
    body: Record<string, unknown>,
  ): Promise<{ status: number; data: unknown }> => {
    const [, noun, key] = /^\/v1\/(group|sender-id)(?:\/([^?]+))?/.exec(path) ?? [];
    const isGroup = noun === "group";
    const all = isGroup ? groups : senderIds;
    if (key === undefined && method === "GET") {
      const hasCount = isGroup && !faults.hidesContacts;
      const listed = all.map((record) => (hasCount ? { contacts_count: 0, ...record } : record));
      const numbers = { current_page: 1, last_page: 1, per_page: 1000, total: all.length };
      return { status: 200, data: { data: listed.toReversed(), ...numbers } };
    }
    if (method === "POST") {
      const { name, send_birthday = false, birthday_message = null, purpose } = body;
      if (name === faults.refused) return { status: 422, data: null };
      const group = { uuid: crypto.randomUUID(), ...settings, name, send_birthday };
      const senderId = { name, purpose, status: "PENDING" };
      const record = recordOf(isGroup ? { ...group, birthday_message } : senderId);
      all.push(record);
      return { status: 201, data: record };
    }
    const name = decodeURIComponent(key ?? "");
    const index = all.findIndex((record) =>
      isGroup ? String(record.id) === name : record["name"] === name,
    );
    const found = all[index];
    if (found === undefined) return { status: 404, data: null };
    if (method === "DELETE") {
      all.splice(index, 1);
      return { status: 200, data: null };
    }
    if (method === "PUT") {
      const { refusesUpdates: status, ignoresNull } = faults;
      if (status !== false) return { status: status === true ? 422 : status, data: null };
      const given = Object.entries(body).filter(([, value]) => !ignoresNull || value !== null);
      Object.assign(found, omitted === "resets" ? settings : {}, Object.fromEntries(given));
      delete found["sender_id"];
    }
    return { status: 200, data: found };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "" } = request;
    requests.push(`${method} ${url}`);
    const body = await bodyOf(request);
    const { birthday_message: message } = body;
    if (faults.trims && typeof message === "string") body["birthday_message"] = message.trim();
    const { status, data } = await respond(method, url, body);
    if (faults.lost !== undefined && method === "POST") response.destroy();
    if (faults.loses === method) response.destroy();
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ status: status < 300, message: "Done", data }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = {
    SENDCTL_BASE_URL: `http://127.0.0.1:${port}`,
    SENDCTL_SECRET_KEY: "sk-secret-1234",
  };
  return Object.assign(faults, { env, groups, senderIds, requests });
}
