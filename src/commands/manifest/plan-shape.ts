import { resources, type Field, type Fields } from "../../contract/resources.ts";
import { isObject } from "../../contract/service.ts";
import {
  decimalId,
  formOf,
  isPathSafeName,
  manifestFields,
  uuidPattern,
  type Form,
  type RecordKind,
} from "../../manifest/manifest.ts";

/**
 * Returns whether a value has the shape of a saved plan: what a manifest accepts, and steps as they are reviewed. A right
 * checksum shows only that a file is whole, not who has written it.
 */
export function isPlanShape(value: unknown): boolean {
  if (!isObject(value) || typeof value["target"] !== "string") return false;
  const { manifest, options, steps } = value;
  if (!isObject(manifest) || !isObject(options) || !Array.isArray(steps)) return false;
  const { senderIds, groups } = manifest;
  return (
    Object.values(options).every((option) => typeof option === "boolean") &&
    isSection("sender-id", senderIds) &&
    isSection("group", groups) &&
    steps.every(isStep)
  );
}

function isSection(kind: RecordKind, records: unknown): boolean {
  if (records === undefined) return true;
  return Array.isArray(records) && records.every((record) => isRecord(kind, record));
}

function isRecord(kind: RecordKind, record: unknown): boolean {
  if (!isObject(record) || typeof record["name"] !== "string") return false;
  const { known, required } = manifestFields[kind];
  const fields: Fields = resources[kind];
  return (
    required.every((name) => record[name] !== undefined) &&
    Object.entries(record).every(([name, value]) => {
      if (name === "location" || name === "senderIdLocation") return isLocation(value);
      return known.includes(name) && isValue(name, fields[name]!, value);
    })
  );
}

/** What each form of a field accepts. */
const forms: Readonly<Record<Form, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  name: (value) => typeof value === "string" && value !== "",
  "sender-id": (value) => typeof value === "string" && value !== "" && isPathSafeName(value),
  id: (value) => typeof value === "string" && decimalId.test(value),
  uuid: (value) => typeof value === "string" && uuidPattern.test(value),
  flag: (value) => typeof value === "boolean",
};

function isValue(name: string, field: Field, value: unknown): boolean {
  return value === null || forms[formOf(name, field)](value);
}

function isLocation(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every((part) => ["string", "number"].includes(typeof part))
  );
}

function isStep(step: unknown): boolean {
  return (
    isObject(step) &&
    typeof step["key"] === "string" &&
    typeof step["title"] === "string" &&
    isObject(step["values"])
  );
}
