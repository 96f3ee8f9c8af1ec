import { groupFields, senderIdFields } from "../contract/resources.ts";
import type { GroupChanges, Service } from "../contract/service.ts";
import { bodyErrors, bodyRules, readPage } from "./validation.ts";
import { groupKey } from "./group-key.ts";
import { done, invalid, listed, nameTaken, notFound } from "./replies.ts";
import { decimalId, firstStatus } from "./rulings.ts";
import type { GroupUpdate, Store } from "./store.ts";
import { groupRecord, listedGroupRecord, newGroup, senderIdRecord } from "./records.ts";

const senderIdCreate = bodyRules(senderIdFields, "create");
const groupCreate = bodyRules(groupFields, "create");
const groupUpdate = bodyRules(groupFields, "update");

/** Ruling 14: a sender_id that looks like an id can also be a name, and names take precedence. */
function senderIdKey(text: string): { readonly name: string; readonly id: number | undefined } {
  return { name: text, id: decimalId.test(text) ? Number(text) : undefined };
}

/** Ruling 13: omitted fields keep their values. */
function updateOf(body: GroupChanges): GroupUpdate {
  const { sender_id, ...given } = defined(body);
  if (sender_id === undefined) return given;
  return { ...given, sender_id: sender_id === null ? null : senderIdKey(sender_id) };
}

/** Removes undefined fields, which a body from this process may have. Most bodies are returned unchanged. */
function defined<Body extends object>(body: Body): Body {
  if (!Object.values(body).includes(undefined)) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined),
  ) as Body;
}

/**
 * Creates the service for one integration: the operations of the specification, and the rulings where it is
 * silent. Bodies and queries may be any values; their errors are in the Reply. A SendctlError of the store is
 * thrown on.
 */
export function createEngine(store: Store, integration: number): Service {
  return {
    async "sender-id.create"({ body }) {
      const errors = bodyErrors(body, senderIdCreate);
      if (errors !== undefined) return invalid(errors);
      const { name, purpose } = body;
      const stored = await store.insertSenderId(integration, {
        name,
        purpose,
        status: firstStatus,
      });
      return stored === undefined
        ? nameTaken("Sender ID", name)
        : done("sender-id.create", senderIdRecord(stored));
    },

    async "sender-id.list"({ query }) {
      const page = readPage(query);
      if ("errors" in page) return invalid(page.errors);
      const skip = (page.page - 1) * page.perPage;
      const slice = await store.sliceOfSenderIds(integration, skip, page.perPage);
      return listed("sender-id.list", slice, page, senderIdRecord);
    },

    async "sender-id.fetch"({ path: { name } }) {
      const stored = await store.senderIdByName(integration, name);
      return stored === undefined
        ? notFound("Sender ID", name)
        : done("sender-id.fetch", senderIdRecord(stored));
    },

    async "sender-id.delete"({ path: { name } }) {
      const deleted = await store.deleteSenderId(integration, name);
      return deleted ? done("sender-id.delete", null) : notFound("Sender ID", name);
    },

    async "group.create"({ body }) {
      const errors = bodyErrors(body, groupCreate);
      if (errors !== undefined) return invalid(errors);
      const stored = await store.insertGroup(integration, newGroup(body));
      return done("group.create", groupRecord(stored));
    },

    async "group.list"({ query }) {
      const page = readPage(query);
      if ("errors" in page) return invalid(page.errors);
      const skip = (page.page - 1) * page.perPage;
      const slice = await store.sliceOfGroups(integration, skip, page.perPage);
      return listed("group.list", slice, page, listedGroupRecord);
    },

    async "group.fetch"({ path: { id } }) {
      const key = groupKey(id);
      const stored = key && (await store.groupByKey(integration, key));
      return stored === undefined
        ? notFound("Group", id)
        : done("group.fetch", groupRecord(stored));
    },

    async "group.update"({ path: { id }, body }) {
      const errors = bodyErrors(body, groupUpdate);
      if (errors !== undefined) return invalid(errors);
      const key = groupKey(id);
      const stored = key && (await store.updateGroup(integration, key, updateOf(body)));
      if (stored === undefined || stored === "no group") return notFound("Group", id);
      if (stored === "no sender ID") {
        return invalid({ sender_id: ["must be the name or the id of one of your sender IDs"] });
      }
      return done("group.update", groupRecord(stored));
    },

    async "group.delete"({ path: { id } }) {
      const key = groupKey(id);
      const deleted = key !== undefined && (await store.deleteGroup(integration, key));
      return deleted ? done("group.delete", null) : notFound("Group", id);
    },
  };
}
