import { currentHeader } from "../contract/request.ts";
import { operations, type OperationName } from "../contract/operations.ts";
import {
  type Envelope,
  type Page,
  type Reply,
  type ShownRecord,
  envelopeOf,
  isObject,
  onePage,
  parseJson,
  readBoolean,
  readCount,
} from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { excessOf, jsonText, readJson } from "../core/json-text.ts";
import type { HttpResponse } from "./http/attempt.ts";
import { requestedWait } from "./http/retry.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import { redirected } from "./http/explain.ts";
import { pageFields, resources, type Fields } from "../contract/resources.ts";

/** The service whose responses are decoded. */
interface Decoding {
  readonly base: URL;
  readonly behaviour: PartialBehaviour;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Decodes a response into a Reply: its text, and its envelope or a refusal in another form.
 *
 * @throws SendctlError "unexpected_response" for a redirect
 */
export async function decode(response: HttpResponse, decoding: Decoding): Promise<Reply> {
  const { status, text } = response;
  // 304 is not a redirect, and does not answer a request without conditions: RFC 9110, part 15.4.5.
  if (status >= 300 && status < 400 && status !== 304) throw redirected(response, decoding.base);

  const body = await parseJson(text);
  const wait = status < 400 ? undefined : requestedWait(response, decoding.now());
  const isAccepted = status >= 200 && status < 300;
  const { server, date } = response.headers;
  return {
    status,
    text,
    envelope: envelopeOf(body) ?? (isAccepted ? refusalIn(body, decoding.behaviour) : undefined),
    headers: {
      ...(wait !== undefined && { "Retry-After": String(Math.ceil(wait / 1000)) }),
      ...(server !== undefined && { Server: String(server) }),
      ...(date !== undefined && { Date: date }),
      ...(response.headers[currentHeader.toLowerCase()] !== undefined && {
        [currentHeader]: "yes",
      }),
    },
  };
}

/**
 * Decodes the response to an operation, checks the shape of a success, and reads its data with the
 * types of the specification. The text stays as the service sent it.
 *
 * @throws SendctlError "unexpected_response" for a redirect, or 2xx that violates the specification
 */
export async function decodeOperation(
  name: OperationName,
  response: HttpResponse,
  decoding: Decoding,
): Promise<Reply> {
  const reply = await decode(response, decoding);
  const { status, text } = reply;
  const envelope = reply.envelope ?? acknowledgement(name, text);
  if (status < 200 || status >= 300 || envelope?.status === false) return reply;
  if (isNothing(name, envelope)) return { ...reply, envelope: { ...envelope!, status: false } };
  const read =
    envelope === undefined ? { problem: envelopeProblem(text) } : readData(name, envelope.data);
  if ("problem" in read) {
    const isPage = operations[name].method === "GET" && text.trimStart().startsWith("<");
    throw new SendctlError(
      "unexpected_response",
      `unexpected response from ${decoding.base.host} (HTTP ${status}): ${read.problem}`,
      // A write has a hint of its own.
      { httpStatus: status, hint: isPage ? "check the base URL" : undefined },
    );
  }
  const shown = { ...envelope!, data: read.data };
  return { ...reply, text: text.trim() === "" ? JSON.stringify(shown) : text, envelope: shown };
}

/** Returns whether a service shows nothing for a record. The list decides whether it exists. */
function isNothing(name: OperationName, envelope: Envelope | undefined): boolean {
  const { returns, method } = operations[name];
  if (returns !== "record" || method !== "GET" || envelope === undefined) return false;
  const { data } = envelope;
  if ("error" in envelope) return false;
  return data === null || (Array.isArray(data) && data.length === 0);
}

/** Returns which field keeps a body from being the envelope of a success. */
function envelopeProblem(text: string): string {
  const body = readJson(text);
  if (!isObject(body)) return excessOf(text) ?? "not a JSON object";
  if (readBoolean(body["status"]) === undefined) return "`status` is not true or false";
  return typeof body["message"] === "string" ? "`data` is missing" : "`message` is not text";
}

/**
 * Returns the envelope of a delete or an update that was accepted with less than an envelope:
 * status true alone, or no body at all.
 */
function acknowledgement(name: OperationName, text: string): Envelope | undefined {
  const { method, message } = operations[name];
  if (method !== "DELETE" && method !== "PUT") return undefined;
  const body = text.trim() === "" ? { status: true } : readJson(text);
  if (!isObject(body) || readBoolean(body["status"]) !== true) return undefined;
  const said = body["message"];
  return {
    status: true,
    message: typeof said === "string" ? said : message,
    data: body["data"] ?? null,
  };
}

/** The data of a success, or the field that does not match the specification. */
type ReadData = { readonly data: unknown } | { readonly problem: string };

/**
 * Reads the data of a success with the types of the specification. Services whose numbers and
 * booleans come from a database or a form write some of them differently; docs/remote.md lists
 * which differences are understood. Anything that could mean something else is a problem.
 */
function readData(name: OperationName, data: unknown): ReadData {
  const { returns, resource, method } = operations[name];
  if (returns === "nothing") return { data };
  if (returns === "page") return readPage(resources[resource], data);
  // An update may be confirmed by null, true or a number of rows; the record is then fetched.
  const record = method === "PUT" && !isObject(data) ? {} : data;
  return isObject(record)
    ? { data: readRecord(resources[resource], record) }
    : { problem: "`data` is not an object" };
}

/** Reads 1 and 0 as booleans, and decimal text as numbers. */
function readRecord(fields: Fields, record: ShownRecord): ShownRecord {
  let read = record;
  for (const [field, { type }] of Object.entries(fields)) {
    const shown = Object.hasOwn(record, field) ? record[field] : undefined;
    const count = type === "integer" || type === "boolean" ? numberOf(shown) : undefined;
    const value = type === "boolean" ? readBoolean(count) : count;
    if (value !== undefined && value !== shown) read = { ...read, [field]: value };
  }
  return read;
}

/** Returns a number or decimal text as a number; undefined for all else, and if long or padded. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "string")
    return /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : undefined;
  return typeof value === "number" ? value : undefined;
}

function readPage(fields: Fields, data: unknown): ReadData {
  const isNothing = data === null || (Array.isArray(data) && data.length === 0);
  if (isNothing) return { data: onePage([]) };
  if (!isObject(data)) return { problem: "`data` is not an object" };
  const total = data["total"] ?? undefined;
  const records = data["data"] === null && numberOf(total) === 0 ? [] : data["data"];
  if (!Array.isArray(records) || !records.every(isObject)) {
    return { problem: "`data.data` is not a list of records" };
  }
  // Records without names do not show which are taken. One such record concerns only itself.
  if (records.length > 0 && records.every(({ name }) => name === undefined)) {
    const id = jsonText(records[0]!["id"] ?? null);
    return { problem: `\`name\` of the record with id ${id} is missing` };
  }
  const numbers = Object.keys(pageFields).map((field) => [field, readCount(data[field])] as const);
  const invalid = numbers.find(
    ([field, count]) => count === undefined && (field !== "total" || total !== undefined),
  );
  if (invalid !== undefined) return { problem: `\`data.${invalid[0]}\` is not a number` };
  const read = records.map((record) => readRecord(fields, record));
  const page = { ...data, ...Object.fromEntries(numbers), data: read };
  return { data: withTotal(page as unknown as Page<ShownRecord>) };
}

/** Replaces a total that is missing, or counts only this page, by the least that pages allow. */
function withTotal(page: Page<ShownRecord>): Page<ShownRecord> {
  const { data, current_page, last_page, per_page } = page;
  // A total of 0 beside records counts nothing.
  const total =
    page.total === 0 && page.data.length > 0 ? undefined : (page.total as number | undefined);
  const isOfPage = total === data.length && data.length <= per_page && last_page > 1;
  if (total !== undefined && !isOfPage) return page;
  const before = Math.max(0, last_page - 1, current_page - 1) * per_page;
  if (current_page < last_page) return { ...page, total: before + 1, isTotalAtLeast: true };
  const known = before + data.length;
  // A full last page may not be the last one.
  const isOpen = page.total === 0 && data.length >= per_page;
  return isOpen ? { ...page, total: known + 1, isTotalAtLeast: true } : { ...page, total: known };
}

type Body = Readonly<Record<string, unknown>>;

/** Returns the message of a refusal in each form of a body; undefined for others (ruling 2). */
const messages: Readonly<
  Record<NonNullable<PartialBehaviour["error_body"]>, (body: Body) => unknown>
> = {
  // Recognized without any knowledge of the service.
  envelope: () => undefined,
  message: plainMessage,
  errors_by_field: plainMessage,
  error: ({ error }) => error,
  error_message: ({ error }) => (isObject(error) ? error["message"] : undefined),
  problem: ({ title, detail }) => detail ?? title,
};

/** The message beside a record says what was done. */
function plainMessage({ message, data }: Body): unknown {
  return isObject(data) ? undefined : message;
}

/** Texts in `status` with which services refuse. */
const refusedStatuses: ReadonlySet<unknown> = new Set(["error", "fail", "failed"]);

/**
 * Returns the envelope of a refusal in a 2xx body that is not an envelope: one that can only be a
 * refusal, or has the form in which the service is known to refuse; undefined for others.
 */
function refusalIn(
  body: unknown,
  { error_status, error_body = "envelope" }: PartialBehaviour,
): Envelope | undefined {
  if (!isObject(body)) return undefined;
  const known = error_status === "always_200" ? messages[error_body](body) : undefined;
  if (typeof known !== "string" && !canOnlyBeRefusal(body)) return undefined;
  const { message = known } = body;
  return {
    ...body,
    status: false,
    message: typeof message === "string" ? message : "",
    data: null,
  };
}

/** A body with `error` and a record may be a success with a warning. */
function canOnlyBeRefusal({ success, status, error, data }: Body): boolean {
  if (readBoolean(success) === false || refusedStatuses.has(status)) return true;
  const isSaid = isObject(error) || (typeof error === "string" && error !== "");
  return isSaid && status === undefined && (data ?? null) === null;
}
