import { isScalar, type Node } from "yaml";
import type { Diagnostic } from "../core/error.ts";
import { noGroupsSeen, readGroup } from "./groups.ts";
import {
  manifestFields,
  type DesiredGroup,
  type DesiredSenderId,
  type Manifest,
} from "./manifest.ts";
import { readItems, type Reading, type Walk } from "./nodes.ts";
import { readSenderId, type SenderIdsSeen } from "./sender-ids.ts";
import type { Environment } from "./variables.ts";
import {
  type Diagnostics,
  type Found,
  createDiagnostics,
  find,
  isNothing,
  isReported,
  isTagged,
  readFields,
  wrongType,
} from "../core/yaml/nodes.ts";
import { yamlDocuments } from "../core/yaml/documents.ts";
import { createLocations, decodeText } from "../core/yaml/text.ts";

/** Maximum size of one file in bytes: about 60,000 groups. src/yaml bounds its content. */
export const fileLimit = 8 * 1024 * 1024;

/** The bytes of a file, and its name for locations. */
export interface Source {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The manifest while documents are read. */
interface Draft {
  senderIds: DesiredSenderId[] | undefined;
  groups: DesiredGroup[] | undefined;
  readonly senderIdsSeen: SenderIdsSeen;
  readonly groupsSeen: ReturnType<typeof noGroupsSeen>;
}

/**
 * Reads files as one manifest, or returns their diagnostics in the order of their locations: the first hundred, and a
 * count of the rest. Never throws for the content of a file; src/yaml bounds time and memory.
 *
 * @param env values of the variables, which texts refer to as `${NAME}`
 * @param prefix prefix of the variables that may be used: see src/manifest/variables.ts
 */
export function readManifest(
  sources: readonly Source[],
  env: Environment,
  prefix?: string,
): { readonly manifest: Manifest } | { readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics = createDiagnostics(sources.map(({ name }) => name));
  const reading: Reading = { variables: { env, prefix }, expansion: 0 };
  const draft: Draft = {
    senderIds: undefined,
    groups: undefined,
    senderIdsSeen: new Map(),
    groupsSeen: noGroupsSeen(),
  };
  for (const source of sources) readSource(source, reading, diagnostics, draft);
  if (!diagnostics.isEmpty()) return { diagnostics: diagnostics.list() };
  return { manifest: { senderIds: draft.senderIds, groups: draft.groups } };
}

function readSource(
  { name, bytes }: Source,
  reading: Reading,
  diagnostics: Diagnostics,
  draft: Draft,
): void {
  const decoded = decodeText(bytes, { bytes: fileLimit, help: "split it into several files" });
  if ("message" in decoded) {
    const { message, line, column } = decoded;
    return diagnostics.add({ file: name, line, column }, message);
  }
  const locate = createLocations(decoded.text);
  const locationOf = (offset: number) => ({ file: name, ...locate(offset) });
  let isEmpty = true;
  const report = (offset: number, message: string): void => {
    isEmpty = false;
    diagnostics.add(locationOf(offset), message);
  };
  for (const { contents, targets } of yamlDocuments(decoded.text, report)) {
    if (isNothing(contents)) continue;
    isEmpty = false;
    readDocument({ reading, targets, report, locationOf }, contents, draft);
  }
  if (isEmpty) {
    report(0, "the file is empty; to declare no records, write sender_ids: [] or groups: []");
  }
}

function readDocument(walk: Walk, contents: Node | null, draft: Draft): void {
  const top = find(walk, contents, 0);
  const found = top && readFields(walk, top, "a manifest", manifestFields.manifest);
  if (found === undefined) return;
  const itemsOf = (section: Found | undefined, name: string): readonly Found[] | undefined =>
    section === undefined || isReported(section) ? undefined : readItems(walk, section, name);

  for (const [name, section] of found) {
    if (name === "$schema") requireText(walk, section);
    else if (name === "sender_ids") {
      for (const item of itemsOf(section, name) ?? []) {
        const senderId = readSenderId(walk, item, draft.senderIdsSeen);
        if (senderId !== undefined) (draft.senderIds ??= []).push(senderId);
      }
      draft.senderIds ??= [];
    } else {
      for (const item of itemsOf(section, name) ?? []) {
        const group = readGroup(walk, item, draft.groupsSeen);
        if (group !== undefined) (draft.groups ??= []).push(group);
      }
      draft.groups ??= [];
    }
  }
}

function requireText(walk: Walk, { node, offset }: Found): void {
  if (isScalar(node) && (typeof node.value === "string" || isTagged(node))) return;
  if (offset >= 0) walk.report(offset, wrongType("$schema must be text", node));
}
