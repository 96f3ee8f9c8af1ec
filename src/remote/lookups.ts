import { SendctlError } from "../contract/error.ts";
import { jsonText } from "../contract/text/json-text.ts";
import { isRefused, succeeded, type RecordIdentity, type Reply } from "../contract/service.ts";
import type { Calls } from "./calls.ts";
import { fetchRecord, recordOf, textOf } from "./identity.ts";
import { eachListed } from "./lists.ts";

/** The key of a group in a path. */
export type GroupPath = { readonly id: string };

/** A service's refusal of a lookup. */
interface Refusal {
  readonly refusal: Reply;
}

/** Translates keys of records to those that the service is known to take. Other keys are sent unchanged. */
export interface Lookups {
  /**
   * Returns a group's id for its uuid, or its uuid for its id, if the service looks up only the other (ruling 20).
   *
   * @param known the group, if the caller has it
   * @throws SendctlError "not_found"
   */
  readonly groupPath: (path: GroupPath, known?: RecordIdentity) => Promise<GroupPath | Refusal>;
  /**
   * Returns a sender ID's id for its name, or its name for its id, if the service takes only the other (ruling 14).
   *
   * @throws SendctlError "not_found"
   */
  readonly senderId: (text: string) => Promise<{ readonly text: string } | Refusal>;
}

const decimal = /^[0-9]+$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createLookups(calls: Calls): Lookups {
  const { group_lookup, sender_id_means } = calls.options.behaviour;
  const groups = new Map<string, string>();

  const groupPath: Lookups["groupPath"] = async (path, known) => {
    const isOther =
      (group_lookup === "id" && uuid.test(path.id)) ||
      (group_lookup === "uuid" && decimal.test(path.id));
    if (!isOther) return path;
    const [given, wanted] =
      group_lookup === "id" ? (["uuid", "id"] as const) : (["id", "uuid"] as const);
    const key = path.id.toLowerCase();
    const note = (record: RecordIdentity): void => {
      if (textOf(record[given])?.toLowerCase() !== key) return;
      const found = textOf(record[wanted]);
      if (found !== undefined) groups.set(key, found);
    };
    if (known !== undefined) note(known);
    if (!groups.has(key)) {
      const refusal = await eachListed(calls, "group.list", note);
      if (refusal !== undefined) return { refusal };
    }
    const id = groups.get(key);
    if (id !== undefined) return { id };
    throw new SendctlError("not_found", `no group has the ${given} ${path.id}`, {
      hint: "sendctl group list --all",
    });
  };

  const idOfName = async (name: string): Promise<{ readonly text: string } | Refusal> => {
    const reply = await fetchRecord(calls, "sender-id.fetch", { name });
    if (!succeeded(reply) && !isRefused(reply)) return { refusal: reply };
    const id = succeeded(reply) ? textOf(recordOf(reply)["id"]) : undefined;
    if (id !== undefined) return { text: id };
    throw new SendctlError("not_found", `no sender ID is named ${jsonText(name)}`, {
      hint: "sendctl sender-id list --all",
    });
  };

  const nameOfId = async (id: string): Promise<{ readonly text: string } | Refusal> => {
    let isName = false;
    let name: string | undefined;
    const refusal = await eachListed(calls, "sender-id.list", (record) => {
      isName ||= record["name"] === id;
      if (textOf(record["id"]) === id) name = textOf(record["name"]);
    });
    if (refusal !== undefined) return { refusal };
    if (isName) return { text: id };
    if (name !== undefined) return { text: name };
    throw new SendctlError("not_found", `no sender ID has the name or the id ${id}`, {
      hint: "sendctl sender-id list --all",
    });
  };

  return {
    groupPath,
    senderId: async (text) => {
      const isId = decimal.test(text);
      if (sender_id_means === "id" && !isId && isInPath(text)) return idOfName(text);
      if (sender_id_means === "name" && isId) return nameOfId(text);
      return { text };
    },
  };
}

/** Returns whether a name can be sent in a path. */
function isInPath(name: string): boolean {
  return !["", ".", ".."].includes(name);
}
