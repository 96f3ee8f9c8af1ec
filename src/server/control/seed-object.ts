import { contactColumns } from "../../contract/contacts.ts";
import {
  groupFields,
  namesOf,
  senderIdFields,
  type Field,
  type Fields,
} from "../../contract/resources.ts";
import { isObject, succeeded, type Group, type Reply } from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { cut, nearest } from "../../core/text.ts";
import type { Embedded } from "../../engine/embedded.ts";

/** The integration that a seed fills. */
type Integration = Awaited<ReturnType<Embedded["integration"]>>;

type Fill = (integration: Integration) => Promise<void>;

/** Returns a text of the seed as it is meant. @throws SendctlError "usage" with the field */
type ReadText = (text: string, field: string) => string;

/** A record of the seed whose fields are known, and have the right types. */
type Given = Readonly<Record<string, unknown>>;

const settable = (fields: Fields) =>
  namesOf(fields, ({ create, update }) => (create ?? update) !== undefined);

const senderIdNames = settable(senderIdFields);
const groupNames = settable(groupFields);
const completing: readonly string[] = namesOf(
  groupFields,
  ({ create, update }) => create === undefined && !!update,
);

/**
 * Reads a seed: the sender IDs and groups that an integration begins with, as an object. Its fields are those of a
 * manifest, the `status` of a sender ID, and the `contacts` of a group.
 *
 * @param text reads each text (default: as it is)
 * @returns a function that creates the records; it throws SendctlError "usage" with the field of a refused record
 * @throws SendctlError "usage" with the field that is wrong, such as `seed.groups[0].name`
 */
export function readSeedObject(seed: unknown, text: ReadText = (as) => as): Fill {
  const object = objectIn(seed, "seed", ["sender_ids", "groups"]);
  const senderIds = recordsIn(object["sender_ids"], "seed.sender_ids", (value, path) =>
    recordIn(value, path, senderIdFields, ["name", "purpose"], [...senderIdNames, "status"], text),
  );
  const groups = recordsIn(object["groups"], "seed.groups", (value, path) => {
    const names = [...groupNames, "contacts"];
    const group = recordIn(value, path, groupFields, ["name"], names, text);
    const contacts = recordsIn(group["contacts"], `${path}.contacts`, (contact, at) =>
      contactIn(contact, at, text),
    );
    return { ...group, contacts };
  });
  return async (integration) => {
    // At once, in this order: the engine writes what comes together in one transaction.
    await all(senderIds, (senderId, index) =>
      createSenderId(integration, senderId, `seed.sender_ids[${index}]`),
    );
    await all(groups, (group, index) => createGroup(integration, group, `seed.groups[${index}]`));
  };
}

/** Waits for all, and throws the error of the first that failed. */
async function all<Item>(
  items: readonly Item[],
  act: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const settled = await Promise.allSettled(items.map(act));
  const failed = settled.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

async function createSenderId(
  { service, review }: Integration,
  { status, ...body }: Given,
  path: string,
): Promise<void> {
  accepted(await service["sender-id.create"]({ body: body as never }), path, body);
  if (status === undefined) return;
  const reviewed = { name: body["name"] as string, status: (status as string).toUpperCase() };
  accepted(await review(reviewed), path, { status });
}

async function createGroup(
  { service, contacts }: Integration,
  given: Given & { readonly contacts: readonly (readonly string[])[] },
  path: string,
): Promise<void> {
  const { contacts: lines, ...group } = given;
  const fields = Object.entries(group);
  const [created, completed] = [false, true].map((isCompleting) =>
    Object.fromEntries(fields.filter(([name]) => completing.includes(name) === isCompleting)),
  );
  const reply = accepted(await service["group.create"]({ body: created as never }), path, group);
  const { id } = reply.envelope!.data as Group;
  if (Object.keys(completed!).length > 0) {
    const update = { path: { id: String(id) }, body: completed! };
    accepted(await service["group.update"](update), path, group);
  }
  if (lines.length === 0) return;
  const error = await (await contacts()).addAll(id, lines);
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
  const value = JSON.stringify(record[field]);
  throw invalid(`${path}.${field}`, `${path}.${field} ${reasons!.join(", ")}: ${cut(value)}`);
}

/** Returns the records of a list; none for undefined. */
function recordsIn<Record>(
  list: unknown,
  path: string,
  read: (value: unknown, path: string) => Record,
): readonly Record[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw invalid(path, `${path} must be an array, not ${kindOf(list)}`);
  return list.map((value, index) => read(value, `${path}[${index}]`));
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

function recordIn(
  value: unknown,
  path: string,
  fields: Fields,
  required: readonly string[],
  known: readonly string[],
  text: ReadText,
): Given {
  const object = objectIn(value, path, known);
  const missing = required.find((name) => object[name] === undefined);
  if (missing !== undefined) {
    throw invalid(`${path}.${missing}`, `${path}: missing required field ${missing}`);
  }
  const entries = Object.entries(object).filter(([, given]) => given !== undefined);
  return Object.fromEntries(
    entries.map(([name, given]) => {
      const field = fields[name];
      return [name, field === undefined ? given : valueIn(given, `${path}.${name}`, field, text)];
    }),
  );
}

/** Returns the value of a field. */
function valueIn(value: unknown, path: string, field: Field, text: ReadText): unknown {
  if (value === null && field.null !== undefined) return null;
  if (field.type === "boolean" && typeof value === "boolean") return value;
  if (field.type !== "boolean" && typeof value === "string") return text(value, path);
  const kind = field.type === "boolean" ? "true or false" : "a string";
  const or = field.null === undefined ? "" : ", or null";
  const use = typeof value === "string" && /^(?:yes|on|true)$/i.test(value) ? "; use true" : "";
  throw invalid(path, `${path} must be ${kind}${or}, not ${kindOf(value)}${use}`);
}

/** Returns the cells of a contact. */
function contactIn(value: unknown, path: string, text: ReadText): readonly string[] {
  const contact = objectIn(value, path, contactColumns);
  return contactColumns.map((name) => {
    const cell = contact[name] ?? "";
    if (typeof cell === "string") return text(cell, `${path}.${name}`);
    throw invalid(`${path}.${name}`, `${path}.${name} must be a string, not ${kindOf(cell)}`);
  });
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return `the string ${JSON.stringify(cut(value))}`;
  return typeof value === "object" ? "an object" : `${typeof value} ${JSON.stringify(value)}`;
}

function invalid(field: string, message: string): SendctlError {
  return new SendctlError("usage", message, { field });
}
