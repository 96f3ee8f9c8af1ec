import { defaultIntegrationName, type Store } from "./store.ts";

/** How a Store is opened whose database may not exist yet. */
interface LateOptions {
  /** Opens it, and creates it if it is missing. */
  readonly create: () => Store | Promise<Store>;
  /** Opens an empty one in memory. */
  readonly openEmpty: () => Store;
  /** Called for each read until it exists, because another process may create it. */
  readonly isMissing: () => boolean | Promise<boolean>;
}

/**
 * Opens the Store of a database that may not exist yet. The first record creates it; until then, reads find an empty
 * database in memory, and nothing is written.
 */
export function openLateStore({ create, openEmpty, isMissing }: LateOptions): Store {
  let opened: Promise<Store> | undefined;
  let empty: Store | undefined;
  const creating = (): Promise<Store> =>
    (opened ??= (async () => create())().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
  const reading = async (): Promise<Store> => {
    if (opened === undefined && (await isMissing())) return (empty ??= openEmpty());
    return creating();
  };
  return {
    insertSenderId: async (...given) => (await creating()).insertSenderId(...given),
    insertGroup: async (integration, group, sender, ...more) => {
      // A refusal creates nothing, and a missing database has no sender ID.
      const isFound = (sender ?? null) === null || sender?.isOptional === true;
      const store = await (isFound ? creating() : reading());
      return store.insertGroup(integration, group, sender, ...more);
    },
    insertIntegration: async (name) => {
      const store = await (name === defaultIntegrationName ? reading() : creating());
      return store.insertIntegration(name);
    },
    insertKey: async (integration, ...given) => {
      const store = await (integration === defaultIntegrationName ? creating() : reading());
      return store.insertKey(integration, ...given);
    },
    seeding: async () => (await creating()).seeding(),

    sliceOfSenderIds: async (...given) => (await reading()).sliceOfSenderIds(...given),
    senderIdByName: async (...given) => (await reading()).senderIdByName(...given),
    deleteSenderId: async (...given) => (await reading()).deleteSenderId(...given),
    sliceOfGroups: async (...given) => (await reading()).sliceOfGroups(...given),
    groupsNamed: async (...given) => (await reading()).groupsNamed(...given),
    groupByKey: async (...given) => (await reading()).groupByKey(...given),
    updateGroup: async (...given) => (await reading()).updateGroup(...given),
    deleteGroup: async (...given) => (await reading()).deleteGroup(...given),

    integrations: async () => (await reading()).integrations(),
    deleteIntegration: async (name) => (await reading()).deleteIntegration(name),
    keys: async () => (await reading()).keys(),
    deleteKey: async (id) => (await reading()).deleteKey(id),
    ownerOfKey: async (hash) => (await reading()).ownerOfKey(hash),

    importContacts: async (...given) => (await reading()).importContacts(...given),
    contactsByPhone: async (...given) => (await reading()).contactsByPhone(...given),
    deleteContacts: async (...given) => (await reading()).deleteContacts(...given),
    contactsAfter: async (...given) => (await reading()).contactsAfter(...given),
    birthdayGroups: async (...given) => (await reading()).birthdayGroups(...given),
    contactsBornOn: async (...given) => (await reading()).contactsBornOn(...given),

    senderIdOfGroup: async (...given) => (await reading()).senderIdOfGroup(...given),
    groupsOfSenderId: async (...given) => (await reading()).groupsOfSenderId(...given),
    setSenderIdStatus: async (...given) => (await reading()).setSenderIdStatus(...given),
    oldestPending: async () => (await reading()).oldestPending(),
    approvePendingBefore: async (...given) => (await reading()).approvePendingBefore(...given),

    checkHealth: async () => (await reading()).checkHealth(),
    close: async () => {
      await (await opened)?.close();
      await empty?.close();
    },
  };
}
