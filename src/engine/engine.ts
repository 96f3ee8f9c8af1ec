import {
  cursorAfter,
  groupKey,
  groupRecord,
  groupUpdateBy,
  idBefore,
  listed,
  listedGroupRecord,
  newGroup,
  noSenderId,
  readPage,
  senderIdKey,
  senderIdRecord,
} from "./rules/records.ts";
import { SendctlError } from "../core/error.ts";
import { ownBehaviour, type Behaviour } from "../contract/behaviour.ts";
import { omittedHeader } from "../contract/request.ts";
import { groupFields, senderIdFields } from "../contract/resources.ts";
import type { GroupChanges, PageQuery, Reply, Service } from "../contract/service.ts";
import { readBody, bodyRules } from "./rules/validation.ts";
import { done, refusalsBy, refusing } from "./rules/replies.ts";
import { firstStatus } from "./rules/rulings.ts";
import type { RecordStore } from "./store/store.ts";
import type { ReadSlice } from "./store/stored.ts";

/**
 * Creates the service for one integration: the operations of the interface, with the rulings or a
 * behaviour where that leaves something open. Invalid bodies and queries are errors in the Reply.
 *
 * @throws the SendctlError of the store
 */
export function createEngine(
  store: RecordStore,
  integration: number,
  behaviour: Behaviour = ownBehaviour,
): Service {
  const { invalid, nameTaken, notFound } = refusalsBy(refusing(behaviour));
  const senderIdCreate = bodyRules(senderIdFields, "create", behaviour);
  const groupCreate = bodyRules(groupFields, "create", behaviour);
  const groupUpdate = bodyRules(groupFields, "update", behaviour);
  const updateOf = groupUpdateBy(behaviour);
  const updateHeaders = behaviour.omitted_in_update === "kept" ? { [omittedHeader]: "kept" } : {};
  const {
    create_status,
    delete_status,
    group_lookup,
    group_name_unique,
    page_parameter,
    sender_id_means,
  } = behaviour;
  /** A service with other rules for pages would not have cursors. */
  const hasCursors = page_parameter === "honoured";
  const unknownSenderId = (): Reply => invalid({ sender_id: [noSenderId[sender_id_means]] });

  /** Returns a page of a list: rulings 18 and 19. A cursor replaces the page number. */
  async function list<Stored extends { readonly id: number }, Item>(
    name: "sender-id.list" | "group.list",
    query: PageQuery,
    slice: ReadSlice<Stored>,
    record: (stored: Stored) => Item,
  ): Promise<Reply> {
    const page = readPage(query, behaviour);
    if ("errors" in page) return invalid(page.errors);
    const { perPage } = page;
    const place = `${name} ${integration}`;
    const before = hasCursors ? idBefore(place, query.cursor) : undefined;
    // Without a cursor in the response, the client knows that its own was ignored.
    const isIgnored = query.cursor !== undefined && before === undefined;
    const found = await slice(integration, (page.page - 1) * perPage, perPage, before);
    const lastId = found.items.at(-1)?.id ?? before;
    const hasCursor = hasCursors && !isIgnored && lastId !== undefined;
    return listed(name, found, page, record, hasCursor ? cursorAfter(place, lastId) : undefined);
  }

  /** Refuses to delete a later sender ID of the same name in place of the one that is meant. */
  async function refuseSuccessor(name: string, id: unknown): Promise<void> {
    const stored = await store.senderIdByName(integration, name);
    if (stored === undefined || String(stored.id) === String(id)) return;
    throw new SendctlError(
      "conflict",
      `the sender ID ${name} has been replaced (id ${stored.id} instead of ${String(id)}); nothing was deleted`,
      { record: { ...senderIdRecord(stored) } },
    );
  }

  return {
    async "sender-id.create"({ body: given }) {
      const read = readBody(given, senderIdCreate);
      if ("errors" in read) return invalid(read.errors);
      const { name, purpose } = read.body;
      const senderId = { name, purpose, status: firstStatus };
      const stored = await store.insertSenderId(integration, senderId);
      return stored === undefined
        ? nameTaken("Sender ID", name)
        : done("sender-id.create", senderIdRecord(stored), create_status);
    },

    "sender-id.list": ({ query }) =>
      list("sender-id.list", query, store.sliceOfSenderIds, senderIdRecord),

    async "sender-id.fetch"({ path: { name } }) {
      const stored = await store.senderIdByName(integration, name);
      return stored === undefined
        ? notFound("Sender ID", name)
        : done("sender-id.fetch", senderIdRecord(stored));
    },

    async "sender-id.delete"({ path: { name }, expected }) {
      if (expected?.id !== undefined) await refuseSuccessor(name, expected.id);
      const deleted = await store.deleteSenderId(integration, name);
      return deleted ? done("sender-id.delete", null, delete_status) : notFound("Sender ID", name);
    },

    async "group.create"({ body: given }) {
      const read = readBody(given, groupCreate);
      if ("errors" in read) return invalid(read.errors);
      // A create can store the fields of an update: ruling 10.
      const body: typeof given & GroupChanges = read.body;
      const sender = body.sender_id ?? null;
      const group = newGroup(body);
      const key = sender === null ? null : senderIdKey(sender, sender_id_means);
      const stored = await store.insertGroup(integration, group, key, group_name_unique);
      if (stored === "name taken") return nameTaken("Group", group.name);
      if (stored === "no sender ID") return unknownSenderId();
      return done("group.create", groupRecord(stored), create_status);
    },

    "group.list": ({ query }) => list("group.list", query, store.sliceOfGroups, listedGroupRecord),

    async "group.fetch"({ path: { id } }) {
      const key = groupKey(id, group_lookup);
      const stored = key && (await store.groupByKey(integration, key));
      return stored === undefined
        ? notFound("Group", id)
        : done("group.fetch", groupRecord(stored));
    },

    async "group.update"({ path: { id }, body: given }) {
      const read = readBody(given, groupUpdate);
      if ("errors" in read) return invalid(read.errors);
      const key = groupKey(id, group_lookup);
      const update = updateOf(read.body);
      const stored = key && (await store.updateGroup(integration, key, update, group_name_unique));
      if (stored === undefined || stored === "no group") return notFound("Group", id);
      if (stored === "name taken") return nameTaken("Group", update.name!);
      if (stored === "no sender ID") return unknownSenderId();
      return { ...done("group.update", groupRecord(stored)), headers: updateHeaders };
    },

    async "group.delete"({ path: { id } }) {
      const key = groupKey(id, group_lookup);
      const deleted = key !== undefined && (await store.deleteGroup(integration, key));
      return deleted ? done("group.delete", null, delete_status) : notFound("Group", id);
    },
  };
}
