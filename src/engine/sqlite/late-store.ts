import { defaultIntegrationName, type Microseconds, type Store } from "../store/store.ts";
import { openMemoryStore, openSqliteStore } from "./store.ts";

/**
 * Opens the Store of a database that may not exist yet. The first record creates the file; until then, reads find an empty
 * database in memory, and nothing is written to the disk.
 *
 * @param now time in microseconds since 1970
 * @param isMissing called for each read until the file exists, because another process may create it
 */
export function openLateStore(
  file: string,
  now: () => Microseconds,
  isMissing: () => boolean,
): Store {
  let opened: Store | undefined;
  let empty: Store | undefined;
  const creating = (): Store => (opened ??= openSqliteStore(file, now));
  const reading = (): Store => {
    if (opened === undefined && isMissing()) return (empty ??= openMemoryStore(now));
    return creating();
  };
  return {
    insertSenderId: (...given) => creating().insertSenderId(...given),
    insertGroup: async (integration, group, sender, ...more) => {
      // Nothing is created for a refusal, and without a database there is no sender ID.
      const isFound = (sender ?? null) === null || sender?.isOptional === true;
      const store = isFound ? creating() : reading();
      return store.insertGroup(integration, group, sender, ...more);
    },
    insertIntegration: (name) =>
      (name === defaultIntegrationName ? reading() : creating()).insertIntegration(name),
    insertKey: (integration, ...given) =>
      (integration === defaultIntegrationName ? creating() : reading()).insertKey(
        integration,
        ...given,
      ),
    seeding: () => creating().seeding(),

    sliceOfSenderIds: (...given) => reading().sliceOfSenderIds(...given),
    senderIdByName: (...given) => reading().senderIdByName(...given),
    deleteSenderId: (...given) => reading().deleteSenderId(...given),
    sliceOfGroups: (...given) => reading().sliceOfGroups(...given),
    groupsNamed: (...given) => reading().groupsNamed(...given),
    groupByKey: (...given) => reading().groupByKey(...given),
    updateGroup: (...given) => reading().updateGroup(...given),
    deleteGroup: (...given) => reading().deleteGroup(...given),

    integrations: () => reading().integrations(),
    deleteIntegration: (name) => reading().deleteIntegration(name),
    keys: () => reading().keys(),
    deleteKey: (id) => reading().deleteKey(id),
    ownerOfKey: (hash) => reading().ownerOfKey(hash),

    importContacts: (...given) => reading().importContacts(...given),
    contactsByPhone: (...given) => reading().contactsByPhone(...given),
    deleteContacts: (...given) => reading().deleteContacts(...given),
    contactsAfter: (...given) => reading().contactsAfter(...given),
    birthdayGroups: (...given) => reading().birthdayGroups(...given),
    contactsBornOn: (...given) => reading().contactsBornOn(...given),

    senderIdOfGroup: (...given) => reading().senderIdOfGroup(...given),
    groupsOfSenderId: (...given) => reading().groupsOfSenderId(...given),
    setSenderIdStatus: (...given) => reading().setSenderIdStatus(...given),
    oldestPending: () => reading().oldestPending(),
    approvePendingBefore: (...given) => reading().approvePendingBefore(...given),

    checkHealth: () => reading().checkHealth(),
    close: async () => {
      await opened?.close();
      await empty?.close();
    },
  };
}
