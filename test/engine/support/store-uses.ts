import type { Store } from "../../../src/engine/store/store.ts";
import { unsetFields } from "./engine-fixtures.ts";

/** Fields of a new group and a new sender ID. */
const group = { ...unsetFields, name: "New", send_birthday: true };
const senderId = { purpose: "p", status: "PENDING" } as const;

async function* contacts() {
  yield ["+441", "+442"].map((phone) => ({ phone, first_name: "Ada", birth_date: "--02-28" }));
}

/** Identifies a group of the integration by its id or uuid. */
interface Known {
  readonly integration: number;
  readonly group: number;
  readonly uuid: string;
}

type Uses = Readonly<
  Record<
    Exclude<keyof Store, "snapshot" | "close">,
    (store: Store, known: Known) => Promise<unknown>
  >
>;

/** Calls every method of a store on a small integration, so that each of its statements runs. */
export const uses: Uses = {
  sliceOfSenderIds: async (store, { integration }) => [
    await store.sliceOfSenderIds(integration, 0, 15),
    await store.sliceOfSenderIds(integration, 15, 15, 3),
  ],
  insertSenderId: (store, { integration }) =>
    store.insertSenderId(integration, { name: "NEW", ...senderId }),
  senderIdByName: (store, { integration }) => store.senderIdByName(integration, "NEW"),
  setSenderIdStatus: (store, { integration }) =>
    store.setSenderIdStatus(integration, "NEW", "PENDING"),
  senderIdOfGroup: (store, { integration, group }) => store.senderIdOfGroup(integration, group),
  groupsOfSenderId: (store, { integration }) => store.groupsOfSenderId(integration, "NEW"),
  approvePendingBefore: (store) => store.approvePendingBefore(1, 10),
  sliceOfGroups: async (store, { integration }) => [
    await store.sliceOfGroups(integration, 0, 15),
    await store.sliceOfGroups(integration, 15, 15, 3),
  ],
  insertGroup: async (store, { integration }) => [
    await store.insertGroup(integration, group),
    await store.insertGroup(integration, { ...group, name: "Unique" }, null, true),
  ],
  groupsNamed: (store, { integration }) => store.groupsNamed(integration, "New"),
  groupByKey: async (store, { integration, group, uuid }) => [
    await store.groupByKey(integration, { id: group }),
    await store.groupByKey(integration, { uuid }),
  ],
  updateGroup: async (store, { integration, group, uuid }) => {
    const sender_id = { name: "NEW", id: 7 };
    await store.updateGroup(integration, { id: group }, { name: "Kin", sender_id });
    await store.updateGroup(integration, { uuid }, { sender_id: { name: "2", id: 2 } });
  },
  importContacts: async (store, { integration, group }) => {
    const given = ["phone", "first_name", "birth_date"] as const;
    return store.importContacts(integration, { id: group }, contacts(), given, {});
  },
  contactsByPhone: (store, { integration }) => store.contactsByPhone(integration, "+441"),
  contactsAfter: (store, { integration, group }) =>
    store.contactsAfter(integration, group, "", 1000, 15),
  birthdayGroups: (store, { integration }) => store.birthdayGroups(integration),
  contactsBornOn: (store, { integration, group }) =>
    store.contactsBornOn(integration, group, "02-28"),
  deleteContacts: (store, { integration, group }) =>
    store.deleteContacts(integration, { id: group }, ["+441"]),
  deleteSenderId: (store, { integration }) => store.deleteSenderId(integration, "NEW"),
  insertMany: async (store, { integration, group: group_id }) => {
    const groups = [{ ...group, uuid: newUuid, sender_id: null }];
    await store.insertMany(integration, "contact_group", groups);
    await store.insertMany(integration, "contact", [{ group_id, phone: "+443" }]);
  },
  deleteGroup: async (store, { integration, group, uuid }) => [
    await store.deleteGroup(integration, { id: group }),
    await store.deleteGroup(integration, { uuid }),
  ],
  // The integration does not have the key, so that this adds nothing.
  withKey: async (store, { integration }) =>
    store.withKey?.(new Uint8Array(32)).insertSenderId(integration, { name: "KEY", ...senderId }),
  insertIntegration: (store) => store.insertIntegration("new"),
  integrations: (store) => store.integrations(),
  insertKey: (store) => store.insertKey("new", new Uint8Array(32), "abcd"),
  ownerOfKey: (store) => store.ownerOfKey(new Uint8Array(32)),
  keys: (store) => store.keys(),
  deleteKey: (store) => store.deleteKey(1),
  deleteIntegration: (store) => store.deleteIntegration("small"),
  checkHealth: (store) => store.checkHealth(),
};

const newUuid = "11111111-2222-4333-8444-555555555555";
