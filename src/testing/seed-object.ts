import { groupFields, namesOf, senderIdFields, type Fields } from "../contract/resources.ts";
import { isObject, succeeded, type Group, type Reply } from "../contract/service.ts";
import { cut, nearest } from "../core/text.ts";
import type { Embedded } from "../engine/embedded.ts";
import { invalid } from "../server/control/control.ts";

/** An object of the seed whose fields are known. Their values are checked by the engine. */
type Given = Readonly<Record<string, unknown>>;

const settable = (fields: Fields) =>
  namesOf(fields, ({ create, update }) => (create ?? update) !== undefined);

const senderIdNames = settable(senderIdFields);
const groupNames = settable(groupFields);
const createdFields: readonly string[] = namesOf(
  groupFields,
  ({ create }: Fields[string]) => create !== undefined,
);

/**
 * Reads a seed: the sender IDs and groups that a service begins with, as an object with the fields
 * of a manifest. The reader of manifests would take longer to load than everything else.
 *
 * @returns a function that creates the records. @throws SendctlError "usage" with the refused field
 * @throws SendctlError "usage" with the field that is wrong, such as `seed.groups[0].name`
 */
export function readSeedObject(seed: unknown): (engine: Embedded) => Promise<void> {
  const object = objectIn(seed, "seed", ["sender_ids", "groups"]);
  const senderIds = recordsIn(object["sender_ids"], "seed.sender_ids", senderIdNames);
  const groups = recordsIn(object["groups"], "seed.groups", groupNames);
  return async (engine) => {
    const service = engine.firstService();
    const createSenderId = async ([path, body]: SeedRecord): Promise<void> =>
      void accepted(await service["sender-id.create"]({ body: body as never }), path, body);
    const createGroup = async ([path, fields]: SeedRecord): Promise<void> => {
      const entries = Object.entries(fields);
      const first = entries.filter(([name]) => createdFields.includes(name));
      const body = Object.fromEntries(first) as never;
      const reply = accepted(await service["group.create"]({ body }), path, fields);
      if (first.length === entries.length) return;
      const { id } = reply.envelope!.data as Group;
      const rest = Object.fromEntries(entries.filter((entry) => !first.includes(entry)));
      const update = { path: { id: String(id) }, body: rest };
      accepted(await service["group.update"](update), path, fields);
    };
    // At once, in this order: the engine writes what comes together in one transaction.
    await all(senderIds.map(createSenderId));
    await all(groups.map(createGroup));
  };
}

/** Waits for all, and throws the error of the first that failed. */
async function all(creating: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(creating);
  for (const created of creating) await created;
}

/** A record of the seed, and its place, such as `seed.groups[0]`. */
type SeedRecord = readonly [path: string, fields: Given];

/** Returns a reply. @throws SendctlError "usage" for a refusal, with the field of the record */
function accepted(reply: Reply, path: string, record: Given): Reply {
  if (succeeded(reply)) return reply;
  const { errors, message } = reply.envelope as unknown as {
    readonly errors?: Readonly<Record<string, readonly string[]>>;
    readonly message: string;
  };
  const [field, reasons] = Object.entries(errors ?? {})[0] ?? [];
  if (field === undefined) throw invalid(path, `${path}: ${message}`);
  const value = record[field] === undefined ? "" : `: ${cut(JSON.stringify(record[field]))}`;
  throw invalid(`${path}.${field}`, `${path}.${field} ${reasons!.join(", ")}${value}`);
}

/** Returns the records of a list; none for undefined. */
function recordsIn(list: unknown = [], path: string, known: readonly string[]): SeedRecord[] {
  if (!Array.isArray(list)) throw invalid(path, `${path} must be an array`);
  return list.map((value, index) => {
    const at = `${path}[${index}]`;
    return [at, objectIn(value, at, known)];
  });
}

/** Returns an object whose fields are known. */
function objectIn(value: unknown, path: string, known: readonly string[]): Given {
  if (!isObject(value)) throw invalid(path, `${path} must be an object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value;
  const near = nearest(unknown, known);
  const help = near === undefined ? `use ${known.join(", ")}` : `did you mean ${near}?`;
  throw invalid(`${path}.${unknown}`, `${path}: unknown field ${JSON.stringify(unknown)}; ${help}`);
}
