import { isScalar } from "yaml";
import { SendctlError, type Diagnostic } from "../core/error.ts";
import { readItems, readRecord, type Reading, type TextChecks, type Walk } from "./read-record.ts";
import { sections, type DesiredSenderId, type Manifest } from "./manifest.ts";
import type { Environment } from "./variables.ts";
import {
  createDiagnostics,
  isReported,
  isTagged,
  readDocuments,
  readFields,
  wrongType,
  type Found,
  type Source,
} from "../core/yaml/nodes.ts";
import { readFileUpTo, unreadableFile } from "../core/files.ts";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Maximum size of one file in bytes: about 60,000 groups. src/core/yaml bounds its content. */
const fileLimit = 8 * 1024 * 1024;

/**
 * Reads files as one manifest, or returns their diagnostics in order of location: the first hundred
 * and the number of others. Never throws for content; src/core/yaml bounds time and memory.
 *
 * @param env values of the variables, which texts refer to as `${NAME}`
 * @param prefix prefix of the variables that may be used: see src/manifest/variables.ts
 * @param checks further checks of texts
 * @param maxBytes maximum size of one file
 */
export function readManifest(
  sources: readonly Source[],
  env: Environment,
  prefix?: string,
  checks: TextChecks = {},
  maxBytes = fileLimit,
):
  | { readonly manifest: Manifest; readonly warnings: readonly Diagnostic[] }
  | { readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics = createDiagnostics(sources.map(({ name }) => name));
  const variables = { env, prefix };
  const keys = new Map();
  const reading: Reading = { variables, checks, warnings: [], expansion: 0, records: {}, keys };
  const limit = { bytes: maxBytes, help: "split it into several files" };
  const ifEmpty = "to declare no records, write sender_ids: [] or groups: []";
  for (const source of sources) {
    readDocuments(source, limit, diagnostics, reading, ifEmpty, readDocument);
  }
  if (!diagnostics.isEmpty()) return { diagnostics: diagnostics.list() };
  const { "sender-id": senderIds, group: groups } = reading.records;
  const manifest = { senderIds: senderIds as DesiredSenderId[] | undefined, groups };
  return { manifest, warnings: reading.warnings };
}

function readDocument(walk: Walk, top: Found): void {
  const { records } = walk.reading;
  const found = readFields(walk, top, "a manifest", [...Object.keys(sections), "$schema"]);
  for (const [name, section] of found ?? []) {
    if (name === "$schema") {
      requireText(walk, section);
      continue;
    }
    const kind = sections[name as keyof typeof sections];
    const read = (records[kind] ??= []);
    for (const item of isReported(section) ? [] : readItems(walk, section, name)) {
      const record = readRecord(walk, item, kind);
      if (record !== undefined) read.push(record);
    }
  }
}

function requireText(walk: Walk, { node, offset }: Found): void {
  if (isScalar(node) && (typeof node.value === "string" || isTagged(node))) return;
  if (offset >= 0) walk.report(offset, wrongType("$schema must be text", node));
}

/** Maximum total size of all files in bytes. */
const totalLimit = 64 * 1024 * 1024;

/** The file name of standard input in locations. */
const inputName = "<stdin>";

/**
 * Reads the files of a manifest. `-` is standard input; a folder stands for its visible `*.yaml`,
 * `*.yml` and `*.json` files, sorted by name. A file that is named twice is read once. Reading
 * stops soon after the size limit; readManifest then reports that.
 *
 * @param folder base of relative names
 * @param readInput reads standard input; stops after more than `limit` bytes
 * @throws SendctlError "usage" for an unreadable file, a folder without manifests, or too much data
 */
export async function readSources(
  names: readonly string[],
  folder: string,
  readInput: (limit: number) => Promise<Uint8Array>,
): Promise<readonly Source[]> {
  const sources = new Map<string, Source>();
  let total = 0;
  for (const given of names) {
    const isInput = given === "-";
    for (const name of isInput ? [inputName] : await filesOf(given, folder)) {
      const path = isInput ? given : resolve(folder, name);
      if (sources.has(path)) continue;
      const bytes = isInput
        ? await readInput(fileLimit)
        : await readFileUpTo(name, path, fileLimit);
      total += bytes.length;
      if (total > totalLimit) {
        const limit = totalLimit / 1024 / 1024;
        throw new SendctlError("usage", `the files are larger than ${limit} MiB in total`, {
          hint: "pass fewer files at once",
        });
      }
      sources.set(path, { name, bytes });
    }
  }
  return [...sources.values()];
}

/** Returns the name itself, or the manifests in a folder of that name. */
async function filesOf(name: string, folder: string): Promise<readonly string[]> {
  const path = resolve(folder, name);
  if (!(await attempt(name, () => stat(path))).isDirectory()) return [name];
  const entries = await attempt(name, () => readdir(path));
  const files: string[] = [];
  for (const entry of entries.toSorted()) {
    if (!/^[^.].*(?<!\.schema)\.(?:yaml|yml|json)$/.test(entry)) continue;
    const file = join(name, entry);
    const found = await attempt(file, () => stat(join(path, entry)));
    if (!found.isDirectory()) files.push(file);
  }
  if (files.length > 0) return files;
  throw new SendctlError("usage", `the folder ${name} contains no *.yaml, *.yml or *.json file`, {
    hint: "pass another folder or a file",
  });
}

async function attempt<Value>(name: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    throw unreadableFile(name, error);
  }
}
