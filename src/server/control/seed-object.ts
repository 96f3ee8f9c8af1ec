import { contactColumns } from "../../contract/contacts.ts";
import { groupFields, namesOf, senderIdFields, type Fields } from "../../contract/resources.ts";
import { isObject, succeeded, type Group, type Reply } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { cut, nearest } from "../../core/text.ts";
import type { Embedded } from "../../engine/embedded.ts";

/** The integration that a seed fills. */
type Integration = Awaited<ReturnType<Embedded["integration"]>>;

/** An object of the seed whose fields are known. Their values are checked by the engine. */
type Given = Readonly<Record<string, unknown>>;

const settable = (fields: Fields) =>
  namesOf(fields, ({ create, update }) => (create ?? update) !== undefined);

const senderIdNames = [...settable(senderIdFields), "status"];
const groupNames = [...settable(groupFields), "contacts"];
const createdFields = namesOf(groupFields, ({ create }) => create !== undefined);

/**
 * Reads a seed: the sender IDs and groups that an integration begins with, as an object. Its fields are those of a
 * manifest, the `status` of a sender ID, and the `contacts` of a group.
 *
 * @returns a function that creates the records; it throws SendctlError "usage" with the field of a refused record
 * @throws SendctlError "usage" with the field that is wrong, such as `seed.groups[0].name`
 */
export function readSeedObject(seed: unknown): (integration: Integration) => Promise<void> {
  const object = objectIn(seed, "seed", ["sender_ids", "groups"]);
  const senderIds = recordsIn(object["sender_ids"], "seed.sender_ids", senderIdNames);
  const groups = recordsIn(object["groups"], "seed.groups", groupNames).map((group) => {
    const { contacts, ...fields } = group.fields;
    return { ...group, fields, cells: cellsIn(contacts, `${group.path}.contacts`) };
  });
  return async (integration) => {
    // At once, in this order: the engine writes what comes together in one transaction.
    await all(senderIds.map((senderId) => createSenderId(integration, senderId)));
    await all(groups.map((group) => createGroup(integration, group)));
  };
}

/** Waits for all, and throws the error of the first that failed. */
async function all(creating: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(creating);
  for (const created of creating) await created;
}

/** A record of the seed. */
interface SeedRecord {
  /** Its place, such as `seed.groups[0]`. */
  readonly path: string;
  readonly fields: Given;
}

async function createSenderId(
  { service, review }: Integration,
  { path, fields: { status, ...body } }: SeedRecord,
): Promise<void> {
  accepted(await service["sender-id.create"]({ body: body as never }), path, body);
  if (status === undefined) return;
  const wanted = typeof status === "string" ? status.toUpperCase() : status;
  const reviewed = { name: body["name"], status: wanted } as { name: string; status: string };
  accepted(await review(reviewed), path, { status });
}

async function createGroup(
  { service, contacts }: Integration,
  { path, fields, cells }: SeedRecord & { readonly cells: readonly (readonly string[])[] },
): Promise<void> {
  const [created, completed] = [true, false].map((isCreated) =>
    Object.fromEntries(
      Object.entries(fields).filter(
        ([name]) => createdFields.includes(name as never) === isCreated,
      ),
    ),
  );
  const reply = accepted(await service["group.create"]({ body: created as never }), path, fields);
  const { id } = reply.envelope!.data as Group;
  if (Object.keys(completed!).length > 0) {
    const update = { path: { id: String(id) }, body: completed! };
    accepted(await service["group.update"](update), path, fields);
  }
  if (cells.length === 0) return;
  const error = await (await contacts()).addAll(id, cells);
  if (error === undefined) return;
  const field = `${path}.contacts[${error.line}]${error.field === null ? "" : `.${error.field}`}`;
  throw invalid(field, `${field} ${error.reason}`);
}

/** Returns a reply. @throws SendctlError "usage" for a refusal, with the first field of the record that it names */
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
function recordsIn(
  list: unknown = [],
  path: string,
  known: readonly string[],
): readonly SeedRecord[] {
  if (!Array.isArray(list)) throw invalid(path, `${path} must be an array, not ${kindOf(list)}`);
  return list.map((value, index) => {
    const at = `${path}[${index}]`;
    return { path: at, fields: objectIn(value, at, known) };
  });
}

/** Returns the cells of contacts. */
function cellsIn(list: unknown, path: string): readonly (readonly string[])[] {
  return recordsIn(list, path, contactColumns).map(({ path: at, fields }) =>
    contactColumns.map((name) => {
      const cell = fields[name] ?? "";
      if (typeof cell === "string") return cell;
      throw invalid(`${at}.${name}`, `${at}.${name} must be a string, not ${kindOf(cell)}`);
    }),
  );
}

/** Returns an object whose fields are known. */
function objectIn(value: unknown, path: string, known: readonly string[]): Given {
  if (!isObject(value)) throw invalid(path, `${path} must be an object, not ${kindOf(value)}`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value;
  const near = nearest(unknown, known);
  const help = near === undefined ? `use ${known.join(", ")}` : `did you mean ${near}?`;
  throw invalid(`${path}.${unknown}`, `${path}: unknown field ${JSON.stringify(unknown)}; ${help}`);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return `the string ${JSON.stringify(cut(value))}`;
  return typeof value === "object" ? "an object" : `${typeof value} ${JSON.stringify(value)}`;
}

function invalid(field: string, message: string): SendctlError {
  return new SendctlError("usage", message, { field });
}
