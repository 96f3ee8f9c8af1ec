import type { AnyInput } from "../contract/request.ts";
import { serviceOf, type RecordIdentity, type Reply, type Service } from "../contract/service.ts";
import { createCalls, type Calls } from "./calls.ts";
import { askedFor, fetchRecord, type RecordPath } from "./identity.ts";
import { listPage } from "./lists.ts";
import { createLookups } from "./lookups.ts";
import type { RemoteOptions } from "./options.ts";
import { create } from "./writes/creates.ts";
import { deleteRecord } from "./writes/deletes.ts";
import { createGroupWrites } from "./writes/group-writes.ts";

export interface Remote extends Pick<Calls, "send"> {
  readonly service: Service;
}

/**
 * Returns the service over HTTP: specification, part 4, and "Remote behaviour" of the command-line contract.
 *
 * Each operation throws a SendctlError: "unavailable" if nothing was changed and no response arrived,
 * "outcome_unknown" if a write may have succeeded, "unexpected_response" if the response is not the service's or
 * shows values other than those sent, "cancelled" if interrupted.
 */
export function createRemote(options: RemoteOptions): Remote {
  const calls = createCalls(options);
  const lookups = createLookups(calls);
  /** Passes a group by the key that the service looks up, or returns why it cannot be found. */
  const withGroup = async (
    path: { readonly id: string },
    expected: RecordIdentity | undefined,
    act: (path: RecordPath, expected: RecordIdentity) => Promise<Reply>,
  ): Promise<Reply> => {
    const id = await lookups.groupKey(path.id, expected);
    return typeof id === "string" ? act({ id }, { ...askedFor(path), ...expected }) : id;
  };
  return {
    service: {
      ...serviceOf((name) => (input: AnyInput) => calls.call(name, input)),
      "sender-id.list": ({ query }) => listPage(calls, "sender-id.list", query),
      "sender-id.create": (input) => create(calls, "sender-id.create", input),
      "sender-id.fetch": ({ path, expected }) =>
        fetchRecord(calls, "sender-id.fetch", path, expected),
      "sender-id.delete": ({ path, expected }) =>
        deleteRecord(calls, "sender-id.delete", path, expected),
      "group.list": ({ query }) => listPage(calls, "group.list", query),
      "group.fetch": ({ path, expected }) =>
        withGroup(path, expected, (...group) => fetchRecord(calls, "group.fetch", ...group)),
      ...createGroupWrites(calls, lookups),
      "group.delete": ({ path, expected }) =>
        withGroup(path, expected, (...group) => deleteRecord(calls, "group.delete", ...group)),
    },
    send: calls.send,
  };
}
