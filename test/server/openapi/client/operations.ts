import * as client from "./client.ts";

/** Runs the nine operations with the generated client, and returns its responses. */
export async function runOperations(baseUrl: string, key: string) {
  Object.assign(client.defaults, { baseUrl, headers: { Authorization: `Bearer ${key}` } });

  const senderId = await client.createSenderId({ name: "ACME", purpose: "Order updates" });
  if (senderId.status !== 201) throw new Error(senderId.data.message);
  const senderIdStatus: "PENDING" | "APPROVED" | "REJECTED" = senderId.data.data.status;
  const senderIds = await client.listSenderIds({ perPage: 5 });
  const fetchedSenderId = await client.fetchSenderId("ACME");

  const group = await client.createGroup({ name: "Customers" });
  if (group.status !== 201) throw new Error(group.data.message);
  const id = String(group.data.data.id);
  const changes = { send_holiday: true, birthday_message: null, sender_id: "ACME" };
  const updatedGroup = await client.updateGroup(id, changes);
  const fetchedGroup = await client.fetchGroup(id);
  const groups = await client.listGroups();
  if (groups.status !== 200) throw new Error(groups.data.message);
  const contacts: number | undefined = groups.data.data.data[0]?.contacts_count;

  const deletedGroup = await client.deleteGroup(id);
  const deletedSenderId = await client.deleteSenderId("ACME");
  const missing = await client.fetchSenderId("ACME");
  if (missing.status !== 404) throw new Error(missing.data.message);
  const invalid = await client.createGroup({ name: "" });
  if (invalid.status !== 422) throw new Error(invalid.data.message);
  const errors: Record<string, string[]> = invalid.data.errors ?? {};

  const deleted = [deletedGroup.data, deletedSenderId.data, missing.data];
  const fetched = { senderIds, fetchedSenderId, updatedGroup, fetchedGroup };
  return { senderId, senderIdStatus, group, groups, contacts, ...fetched, deleted, errors };
}

/** Does not compile if the types allow more than the document. */
export const rejected = [
  // @ts-expect-error -- `purpose` is required
  () => client.createSenderId({ name: "ACME" }),
  // @ts-expect-error -- a name is text
  () => client.createGroup({ name: 1 }),
  // @ts-expect-error -- unknown field
  () => client.updateGroup("1", { contacts_count: 1 }),
  // @ts-expect-error -- null is not a name
  () => client.updateGroup("1", { name: null }),
  // @ts-expect-error -- a page is a number
  () => client.listGroups({ page: "1" }),
];
