import type { SwitchName, SwitchValue } from "../../../src/contract/behaviour.ts";
import type { Client, Received } from "./clients.ts";

/**
 * Finds out the value of a switch from outside. Numbers are only compared with the expected one.
 *
 * @returns undefined if the transport cannot observe it
 */
type Observe = (client: Client, expected: SwitchValue) => Promise<SwitchValue | undefined>;

const createGroup = (client: Client, body: object): Promise<Received> =>
  client.send("POST", "/v1/group", body);

const whole = { name: "Friends", send_birthday: true, birthday_message: "Hi" };

/** Creates a group with every field, whatever the service requires, and returns its record. */
async function someGroup(client: Client, body: object = {}) {
  const { json } = await createGroup(client, { ...whole, ...body });
  const { json: page } = await client.send("GET", "/v1/group");
  return page["data"]?.data?.[0] ?? json["data"];
}

/** Updates the fields of a group, with all others that a service may require. */
async function update(client: Client, body: object): Promise<Received> {
  const { id, uuid } = await someGroup(client);
  const all = { ...whole, send_holiday: true, ...body };
  const byId = await client.send("PUT", `/v1/group/${id}`, all);
  return byId.status === 404 ? client.send("PUT", `/v1/group/${uuid}`, all) : byId;
}

const refused = (received: Received, otherwise: SwitchValue): SwitchValue =>
  received.isRefused ? "refused" : otherwise;

/** Returns a limit that is the expected one if it is accepted and one more is not. */
async function limit(
  expected: SwitchValue,
  accepts: (length: number) => Promise<boolean>,
): Promise<SwitchValue> {
  const number = expected as number;
  if (!(await accepts(number))) return `less than ${number}`;
  return (await accepts(number + 1)) ? `more than ${number}` : number;
}

const shapes: Readonly<Record<string, SwitchValue>> = {
  "data,message,status": "envelope",
  message: "message",
  "errors,message": "errors_by_field",
  error: "error",
  "detail,errors,status,type": "problem",
};

export const observers: Readonly<Record<SwitchName, Observe>> = {
  create_status: async (client) => {
    const { status } = await createGroup(client, whole);
    const body = { name: "ACME", purpose: "Alerts" };
    const other = await client.send("POST", "/v1/sender-id", body);
    return status === other.status ? status : undefined;
  },
  delete_status: async (client) => {
    const { id } = await someGroup(client);
    const { status, text } = await client.send("DELETE", `/v1/group/${id}`);
    return (status === 204) === (text === "") ? status : undefined;
  },
  error_body: async (client) => {
    const { json } = await client.send("POST", "/v1/group", { name: 5 });
    if (typeof json["error"] === "object") return "error_message";
    const names = Object.keys(json).toSorted();
    const isEnvelope = json["status"] === false;
    return shapes[names.filter((name) => !isEnvelope || name !== "errors").join()];
  },
  error_status: async (client) => {
    const requests = [
      ["GET", "/v1/group/999"],
      ["GET", "/v1/nothing"],
      ["PATCH", "/v1/group"],
      ["POST", "/v1/group", "{"],
      ["POST", "/v1/group", { name: 5 }],
      ["GET", "/v1/sender-id/%ff"],
    ] as const;
    const received = await Promise.all(
      requests.map((request) => client.send(request[0], request[1], request[2])),
    );
    const is200 = received.every(({ status, json }) => status === 200 && json["status"] === false);
    return is200 ? "always_200" : received.every(({ status }) => status >= 400) ? "by_cause" : "?";
  },
  not_found_status: async (client) => {
    const received = [
      await client.send("GET", "/v1/group/999"),
      await client.send("DELETE", "/v1/group/999"),
      await client.send("PUT", "/v1/group/999", { ...whole, send_holiday: true }),
      await client.send("GET", "/v1/sender-id/NOBODY"),
      await client.send("DELETE", "/v1/sender-id/NOBODY"),
    ];
    const [status, ...others] = new Set(received.map((one) => one.status));
    return others.length === 0 ? status : undefined;
  },
  group_update_requires: async (client) => {
    const { id } = await someGroup(client);
    const put = (body: object) => client.send("PUT", `/v1/group/${id}`, body);
    if (!(await put({})).isRefused) return "nothing";
    if (!(await put({ name: "Family" })).isRefused) return "name";
    return (await put({ ...whole, send_holiday: false })).isRefused ? undefined : "every_field";
  },
  group_name_unique: async (client) => {
    await createGroup(client, whole);
    const { id } = await someGroup(client, { name: "Family" });
    const again = await createGroup(client, whole);
    const renamed = await client.send("PUT", `/v1/group/${id}`, { name: whole.name });
    const same = await client.send("PUT", `/v1/group/${id}`, { name: "Family" });
    if (same.isRefused || again.isRefused !== renamed.isRefused) return undefined;
    if (again.isRefused && (again.status !== 409 || renamed.status !== 409)) return undefined;
    return again.isRefused;
  },
  update_fields_in_create: async (client) => {
    await client.send("POST", "/v1/sender-id", { name: "ACME", purpose: "Alerts" });
    const created = await createGroup(client, { ...whole, send_holiday: true, sender_id: "ACME" });
    const unknown = await createGroup(client, { ...whole, sender_id: "NOBODY" });
    const value = created.json["data"]?.send_holiday === true ? "stored" : "ignored";
    if (!created.isRefused && unknown.isRefused !== (value === "stored")) return undefined;
    return refused(created, value);
  },
  unknown_fields: async (client) => {
    const created = await createGroup(client, { ...whole, colour: "red", __proto__: null, id: 7 });
    const updated = await update(client, { colour: "red" });
    if (created.isRefused !== updated.isRefused) return undefined;
    return refused(created, created.json["data"]?.id === 1 ? "ignored" : "stored");
  },
  omitted_in_update: async (client) => {
    await update(client, {});
    const { json } = await client.send("PUT", "/v1/group/1", { name: "Family" });
    const { name, send_birthday, send_holiday, birthday_message } = json["data"];
    if (name !== "Family") return undefined;
    const values = JSON.stringify([send_birthday, send_holiday, birthday_message]);
    return values === '[true,true,"Hi"]' ? "kept" : values === "[false,null,null]" ? "reset" : "?";
  },
  null_in_update: async (client) => {
    await client.send("POST", "/v1/sender-id", { name: "ACME", purpose: "Alerts" });
    await update(client, { sender_id: "ACME" });
    const body = { name: "Family", birthday_message: null, send_holiday: null, sender_id: null };
    const updated = await client.send("PUT", "/v1/group/1", body);
    const { birthday_message, send_holiday } = updated.json["data"] ?? {};
    const values = JSON.stringify([birthday_message, send_holiday]);
    const value = values === "[null,null]" ? "cleared" : values === '["Hi",true]' ? "ignored" : "?";
    return refused(updated, value);
  },
  sender_id_means: async (client) => {
    await client.send("POST", "/v1/sender-id", { name: "ACME", purpose: "Alerts" });
    const accepted = [];
    for (const sender_id of ["ACME", "1", "NOBODY"]) {
      accepted.push((await update(client, { sender_id })).isRefused ? "-" : sender_id);
    }
    const meanings: Readonly<Record<string, SwitchValue>> = {
      "ACME 1 -": "name_or_id",
      "ACME - -": "name",
      "- 1 -": "id",
      "ACME 1 NOBODY": "any_text",
    };
    return meanings[accepted.join(" ")];
  },
  per_page_default: async (client) => (await client.send("GET", "/v1/group")).json["data"].per_page,
  per_page_max: (client, expected) =>
    limit(
      expected,
      async (size) => !(await client.send("GET", `/v1/sender-id?perPage=${size}`)).isRefused,
    ),
  page_parameter: async (client) => {
    await someGroup(client);
    await someGroup(client, { name: "Family" });
    const listed = await client.send("GET", "/v1/group?perPage=1&page=2");
    const { current_page, data } = listed.json["data"] ?? {};
    const seen = `${current_page} ${data?.[0].name}`;
    return refused(
      listed,
      seen === "2 Friends" ? "honoured" : seen === "1 Family" ? "ignored" : seen,
    );
  },
  group_lookup: async (client) => {
    const { id, uuid } = await someGroup(client);
    const found = await Promise.all(
      [id, uuid].map(async (key) => !(await client.send("GET", `/v1/group/${key}`)).isRefused),
    );
    const lookups: Readonly<Record<string, SwitchValue>> = {
      "true,true": "id_or_uuid",
      "true,false": "id",
      "false,true": "uuid",
    };
    return lookups[found.join()];
  },
};
