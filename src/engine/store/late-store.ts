import { type Store } from "./store.ts";
import { defaultIntegrationName } from "./stored.ts";

/** How a Store is opened whose database may not exist yet. */
interface LateOptions {
  /** Opens it, and creates it if it is missing. */
  readonly create: () => Store | Promise<Store>;
  /** Opens an empty one in memory. */
  readonly openEmpty: () => Store;
  /** Called for each read until it exists, because another process may create it. */
  readonly isMissing: () => boolean | Promise<boolean>;
  /** Closes what is open even before the Store is. */
  readonly close?: () => Promise<void>;
}

/** The methods that create the database, unless an empty one would refuse them. */
const creating: {
  readonly [Name in keyof Store]?: (...given: Parameters<NonNullable<Store[Name]>>) => boolean;
} = {
  insertSenderId: () => true,
  insertGroup: (_integration, _group, sender) => sender?.isOptional ?? (sender ?? null) === null,
  insertIntegration: (name) => name !== defaultIntegrationName,
  insertKey: (integration) => integration === defaultIntegrationName,
  insertMany: () => true,
};

/**
 * Opens the Store of a database that may not exist yet. The first record creates it; until then, reads find an empty
 * database in memory, and nothing is written.
 */
export function openLateStore({ create, openEmpty, isMissing, close }: LateOptions): Store {
  let opened: Promise<Store> | undefined;
  let empty: Store | undefined;

  async function storeFor(isCreating: boolean): Promise<Store> {
    if (!isCreating && opened === undefined && (await isMissing())) return (empty ??= openEmpty());
    return (opened ??= (async () => create())().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
  }

  const closeAll = async (): Promise<void> => {
    await (close?.() ?? (await opened)?.close());
    await empty?.close();
  };
  type Method = (...given: unknown[]) => unknown;
  return new Proxy<object>(
    {},
    {
      get: (_, name: string) => {
        if (name === "close") return closeAll;
        // It has neither of the first two, and a promise of it is not to wait for it.
        if (["snapshot", "withKey", "then"].includes(name)) return undefined;
        return async (...given: unknown[]) => {
          const isCreating = (creating as Record<string, Method>)[name]?.(...given) === true;
          const store = (await storeFor(isCreating)) as unknown as Record<string, Method>;
          return store[name]!(...given);
        };
      },
    },
  ) as Store;
}
