import { closeSync, fchmodSync, fstatSync } from "node:fs";
import { lstatSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { getBuiltinModule } from "node:process";
import { isObject } from "../contract/service.ts";
import { makeFolder, renameOver, unreadableFile } from "../core/files.ts";
import { jsonText, readJson } from "../core/json-text.ts";
import type { Runtime } from "../core/runtime.ts";
import { openToAppend, readRegular } from "../core/own-file.ts";
import { inUserFolder } from "./profiles.ts";
import { normalized, type Target } from "./target.ts";

/** A record as the service showed it. */
type JournaledRecord = Readonly<Record<string, unknown>>;

/** Why a step cannot be undone. */
export const stepProblems = {
  unknown: "the outcome of a request is unknown",
  secret: "the key occurs in a record, so its values were not stored",
  unread: "the values of a record before or after it are not known",
  request: "a raw request is not an operation of the service",
  too_large: "it changed more records than the history stores",
} as const;

export type StepProblem = keyof typeof stepProblems;

/** One change that a command made. */
export interface JournaledStep {
  readonly action: "create" | "update" | "delete" | "request";
  readonly kind?: "sender-id" | "group" | undefined;
  /** The record before and after; null if it did not exist. */
  readonly before: JournaledRecord | null;
  readonly after: JournaledRecord | null;
  readonly problem?: StepProblem | undefined;
  /** When it was noted, in milliseconds since 1970. */
  readonly at?: number | undefined;
  /** The body of a write whose outcome is unknown, or what the record after it does not show. */
  readonly sent?: JournaledRecord | undefined;
  /** Whether it is the record of an earlier create whose outcome was unknown. */
  readonly wasLost?: true | undefined;
  /** Whether it set the sender ID of a group, which no record shows. */
  readonly setsSenderId?: true | undefined;
}

/** The service or database that an entry belongs to, and its key. */
interface Owner {
  /** Normalized base URL, or the database without its password. */
  readonly target: string;
  /** A hash of the key or key command, with the target; undefined without a key. */
  readonly key?: string | undefined;
}

/** A command that changed something. */
export interface JournalEntry extends Owner {
  readonly id: string;
  /** In UTC, as ISO 8601. */
  readonly time: string;
  /** Command line without secrets. */
  readonly command: string;
  /** Id of the entry that it undoes. */
  readonly undoes?: string | undefined;
  readonly steps: readonly JournaledStep[];
  /** The keys of its records whose changes were taken back. */
  readonly undone: readonly string[];
}

/** An entry as its first line has it. */
type Head = Omit<JournalEntry, "steps" | "undone">;

/** Maximum size in bytes of what one command adds. */
const maxCommandBytes = 2 * 1024 * 1024;

/** Size in bytes at which a file is replaced. It and its predecessor have up to 8 MiB. */
const maxFileBytes = 2 * 1024 * 1024;

/** Maximum number of entries to return. */
const maxEntries = 1000;

/** Returns the file of the journal; undefined without a home folder. */
export function journalFile(runtime: Pick<Runtime, "env" | "home">): string | undefined {
  return inUserFolder("XDG_STATE_HOME", runtime, "history.jsonl");
}

/** Returns the owner of entries. A key command stands for its key, so that it need not run. */
export function ownerOf({ baseUrl, database, secretKey, keyCommand }: Target): Owner {
  const target = baseUrl === undefined ? database : normalized(baseUrl);
  const key = keyCommand ?? secretKey;
  if (key === undefined) return { target };
  return { target, key: hashOf([target, key]) };
}

/** Returns a hash that stands for values, such as a target and its key. */
export function hashOf(values: readonly unknown[]): string {
  // Loaded late: without a key, a create is over before it would be loaded.
  const { createHash } = getBuiltinModule("node:crypto");
  return createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 32);
}

/** Appends the steps of one command. */
export type JournalWriter = ReturnType<typeof openJournal>;

/**
 * Opens the journal for one command, and moves a file that has become too large aside. Each step is
 * one write to the end of the file, so that processes need no lock and a killed one leaves what it
 * has done. Nothing is flushed to the disk.
 *
 * @throws a system error, also for a file that is a link or no regular file
 */
export function openJournal(file: string, { id, ...entry }: Head) {
  makeFolder(dirname(file));
  try {
    if (lstatSync(file).size > maxFileBytes) renameOver(file, previous(file));
  } catch (error) {
    // There is none yet, or another process has just moved it.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const descriptor = openToAppend(file);
  // On some disks, the mode of a new file is not that of `open`.
  if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
  let bytes = 0;
  let head = `${jsonText({ id, ...entry })}\n`;
  // The first line end closes a line that a killed process left unfinished.
  const append = (lines: string): void => void writeSync(descriptor, `\n${lines}\n`);
  return {
    /** @throws a system error */
    add: (step: JournaledStep): void => {
      if (bytes > maxCommandBytes) return;
      const [before, after, sent] = [step.before, step.after, step.sent].map(exact);
      const line = jsonText({ of: id, ...step, before, after, sent });
      bytes += head.length + Buffer.byteLength(line);
      const isLarge = bytes > maxCommandBytes;
      const fitting = isLarge ? jsonText({ of: id, ...withoutRecords(step, "too_large") }) : line;
      append(`${head}${fitting}`);
      head = "";
    },
    /** Notes that the changes of a record by an entry were taken back. */
    mark: (entryId: string, undone: string): void => append(jsonText({ of: entryId, undone })),
    close: (): void => closeSync(descriptor),
  };
}

/** Returns a record with its long numbers, such as ids, as texts: a double cannot hold them. */
function exact(record: JournaledRecord | null | undefined) {
  const entries = Object.entries(record ?? {}).map(([field, value]) => [
    field,
    typeof value === "bigint" ? String(value) : value,
  ]);
  return record && Object.fromEntries(entries);
}

/** Returns a step that cannot be undone, without the values of its records. */
export function withoutRecords(step: JournaledStep, problem: StepProblem): JournaledStep {
  return { ...step, before: null, after: null, sent: undefined, problem };
}

function previous(file: string): string {
  return `${file}.1`;
}

/**
 * Reads the newest entries of the journal, oldest first.
 *
 * @returns the entries, and the number of lines that are damaged
 * @throws SendctlError "usage" if a file cannot be read
 */
export function readJournal(file: string): {
  readonly entries: readonly JournalEntry[];
  readonly damaged: number;
} {
  const entries = new Map<string, Head & { steps: JournaledStep[]; undone: string[] }>();
  let damaged = 0;
  const newer = linesOf(file);
  for (const line of [...linesOf(previous(file)), ...newer]) {
    const value = readJson(line);
    // The first lines of a command may be in a file that is gone.
    if (isStep(value)) takeStep(entries.get(value.of)?.steps, value);
    else if (isMark(value)) entries.get(value.of)?.undone.push(value.undone);
    else if (isHead(value)) entries.set(value.id, { ...value, steps: [], undone: [] });
    else damaged += 1;
  }
  const complete = [...entries.values()].filter(({ steps }) => steps.length > 0);
  return { entries: complete.slice(-maxEntries), damaged };
}

/** Returns when the last step was noted, in milliseconds since 1970; else undefined. */
export function lastNotedAt(file: string): number | undefined {
  const value = readJson(linesOf(file).at(-1) ?? "");
  return isStep(value) && typeof value.at === "number" ? value.at : undefined;
}

/** Adds a step to those of its entry. The record of a lost create takes its place. */
function takeStep(steps: JournaledStep[] = [], step: JournaledStep): void {
  const { wasLost, kind, after } = step;
  const isLost = ({ problem, sent, kind: other }: JournaledStep): boolean =>
    problem === "unknown" && other === kind && sent?.["name"] === after?.["name"];
  const place = wasLost === true ? steps.findIndex(isLost) : -1;
  if (place < 0) steps.push(step);
  else steps[place] = step;
}

function linesOf(file: string): string[] {
  try {
    return readRegular(file).split("\n").filter(Boolean);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unreadableFile(`the history ${file}`, error, file);
  }
}

function isHead(value: unknown): value is Head {
  return hasTexts(value, "id", "time", "target", "command");
}

function isMark(value: unknown): value is { readonly of: string; readonly undone: string } {
  return hasTexts(value, "of", "undone");
}

function isStep(value: unknown): value is JournaledStep & { readonly of: string } {
  if (!hasTexts(value, "of", "action")) return false;
  const { action, kind, before, after } = value;
  return (
    ["create", "update", "delete", "request"].includes(action as string) &&
    [undefined, "sender-id", "group"].includes(kind as string | undefined) &&
    [before, after].every((record) => typeof record === "object")
  );
}

function hasTexts(value: unknown, ...fields: readonly string[]): value is JournaledRecord {
  return isObject(value) && fields.every((field) => typeof value[field] === "string");
}
