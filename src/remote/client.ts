import type { AnyInput } from "../contract/request.ts";
import { serviceOf, type RecordIdentity, type Reply, type Service } from "../contract/service.ts";
import { createCalls, type Calls } from "./calls.ts";
import { askedFor, fetchRecord } from "./identity.ts";
import { listPage } from "./lists.ts";
import { createLookups, type GroupPath } from "./lookups.ts";
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
  const groups = createGroupWrites(calls, lookups);
  /** Passes a group by the key that the service looks up, or returns why it cannot be found. */
  const withGroup = async (
    path: GroupPath,
    expected: RecordIdentity | undefined,
    act: (path: GroupPath, expected: RecordIdentity) => Promise<Reply>,
  ): Promise<Reply> => {
    const found = await lookups.groupPath(path, expected);
    return "refusal" in found ? found.refusal : act(found, { ...askedFor(path), ...expected });
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
      "group.create": groups.create,
      "group.update": groups.update,
      "group.delete": ({ path, expected }) =>
        withGroup(path, expected, (...group) => deleteRecord(calls, "group.delete", ...group)),
    },
    send: calls.send,
  };
}
