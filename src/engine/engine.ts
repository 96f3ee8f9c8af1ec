import type { GroupChanges, GroupFields, Service } from "../contract/service.ts";
import { bodyErrors, readPage, type BodyRules } from "./validation.ts";
import * as fields from "./fields.ts";
import { groupKey } from "./group-key.ts";
import { done, invalid, listed, nameTaken, notFound } from "./replies.ts";
import { decimalId, firstStatus, groupDefaults } from "./rulings.ts";
import type { GroupUpdate, NewGroup, Store } from "./store.ts";
import { groupRecord, listedGroupRecord, senderIdRecord } from "./records.ts";

/** Ruling 4: both are required. */
const senderIdCreate: BodyRules = {
  fields: { name: fields.nameFault, purpose: fields.purposeFault },
  required: ["name", "purpose"],
};

/** Rulings 4, 10 and 13. */
const groupCreate: BodyRules = {
  fields: {
    name: fields.nameFault,
    send_birthday: fields.booleanFault,
    birthday_message: fields.messageFault,
  },
  required: ["name"],
  elsewhere: {
    send_holiday: "can be set by an update only",
    sender_id: "can be set by an update only",
  },
};

/** Rulings 4 and 13: nothing is required. */
const groupUpdate: BodyRules = {
  fields: {
    name: fields.nameFault,
    send_birthday: fields.booleanFault,
    send_holiday: fields.nullableBooleanFault,
    birthday_message: fields.messageFault,
    sender_id: fields.senderIdFault,
  },
  required: [],
};

/** Ruling 9. */
function newGroup(body: GroupFields): NewGroup {
  return {
    name: body.name,
    sendBirthday: body.send_birthday ?? groupDefaults.send_birthday,
    sendHoliday: groupDefaults.send_holiday,
    birthdayMessage: body.birthday_message ?? groupDefaults.birthday_message,
  };
}

/** Ruling 14: what sender_id names. A name that looks like an id is a name first. */
function senderIdKey(text: string): { readonly name: string; readonly id: number | undefined } {
  return { name: text, id: decimalId.test(text) ? Number(text) : undefined };
}

/** Ruling 13: what is not given is left alone. */
function updateOf(body: GroupChanges): GroupUpdate {
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.send_birthday === undefined ? {} : { sendBirthday: body.send_birthday }),
    ...(body.send_holiday === undefined ? {} : { sendHoliday: body.send_holiday }),
    ...(body.birthday_message === undefined ? {} : { birthdayMessage: body.birthday_message }),
    ...(typeof body.sender_id === "string" ? { senderId: senderIdKey(body.sender_id) } : {}),
    ...(body.sender_id === null ? { senderId: null } : {}),
  };
}

/**
 * The service, answered in this process for one integration: the specification's operations, and the
 * rulings where it is silent. Bodies and queries may be anything; what is wrong with them is told in
 * the Reply. A store that can't be used throws its SendctlError through.
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
