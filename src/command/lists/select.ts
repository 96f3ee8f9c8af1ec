import { leanPages, type List, readList, type ReadOptions } from "../../service/read-list.ts";
import type { Session } from "../session.ts";
import { groupFields, namesOf, senderIdFields, type Fields } from "../../contract/resources.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { counted, normalized, safeText } from "../../core/text.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { holdLines } from "../../output/held-lines.ts";
import type { Output } from "../../output/output.ts";
import type { RecordView } from "../../output/views.ts";
import {
  totalText,
  type Line,
  type RecordSink,
  type RecordSource,
  type Total,
} from "../../service/lines.ts";
import { contradiction, durationOf, emptyValue, invalidValue, wholeNumber } from "../arguments.ts";
import type { FilterOptions, FurtherOptions, ListOptions } from "./options.ts";
import { targetName } from "../../config/target.ts";
import { SendctlError } from "../../core/error.ts";
import { isOfGateway, isRefusal } from "../../service/refusals.ts";

/** Returns whether a record matches. */
type Matches = (record: ShownRecord) => boolean;

/** Returns the lines in sorted order. */
type Sort = (lines: readonly Line[]) => readonly Line[];

/** Which records of a list are shown. */
interface Selection {
  /** Page size, if the user chose one. */
  readonly perPage: number | undefined;
  /** Maximum number of records to show. */
  readonly limit: number | undefined;
  readonly matches: Matches | undefined;
  readonly sort: Sort | undefined;
}

/**
 * Lists records with more than the paging options. Filters and `--sort` read all pages, because the
 * service has neither.
 *
 * @param listPages lists with the paging options alone
 * @throws SendctlError "usage" for invalid or contradicting options, before any request
 */
export async function listWithOptions(
  context: Pick<Session, "output" | "clock" | "config">,
  operation: List,
  view: RecordView,
  options: ListOptions & FurtherOptions,
  listPages: (view: RecordView) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { output } = context;
  refuseContradictions(options);
  const selection: Selection = {
    perPage: wholeNumber(options.perPage, "--per-page"),
    limit: wholeNumber(options.limit, "--limit", 1),
    matches: filterOf(options),
    sort: sortOf(options.sort, view),
  };
  const shown = layoutOf(options, view, output);
  const interval = durationOf(options.watch, "--watch");
  const { limit, matches, sort } = selection;
  const isSelective = (limit ?? matches ?? sort) !== undefined;
  const once = (): Promise<ExitCode> =>
    isSelective ? selectRecords(output, operation, shown, selection) : listPages(shown);
  return interval === undefined ? once() : watchList(once, interval, context);
}

/** What each option that filters selects. */
const filters = {
  name: (name) => (record) => record["name"] === name,
  status: (status) => {
    const wanted = comparable(status);
    return (record) => comparable(String(record["status"])) === wanted;
  },
  // In any text field.
  search: (text) => {
    const wanted = comparable(text);
    return (record) =>
      Object.entries(record).some(([field, value]) => {
        const isText = typeof value === "string" && !generated.has(field);
        return isText && comparable(value).includes(wanted);
      });
  },
} as const satisfies Readonly<Record<keyof FilterOptions, (given: string) => Matches>>;

const filterNames = Object.keys(filters) as (keyof FilterOptions)[];

/** The options that select records. */
const selecting = [...filterNames, "sort", "limit"] as const;

function refuseContradictions(options: ListOptions & FurtherOptions): void {
  if (options.all && options.limit !== undefined) throw contradiction("--all", "--limit");
  const found = selecting.find((key) => options[key] !== undefined);
  if (options.page !== undefined && found !== undefined)
    throw contradiction(`--${found}`, "--page");
}

/**
 * Returns the view with the columns, header and separator chosen by options.
 *
 * @throws SendctlError "usage" for unknown columns and options that the format does not support
 */
function layoutOf(
  { columns, noHeader, null: isNullSeparated }: FurtherOptions,
  view: RecordView,
  output: Pick<Output, "supports">,
): RecordView {
  if (columns !== undefined)
    output.supports("a list with chosen columns", ["table", "csv", "markdown"]);
  if (noHeader === true) output.supports("a list without a header", ["table", "csv"]);
  if (isNullSeparated === true) output.supports("a NUL-separated list", ["id"]);
  const chosen = columns?.split(",").map((name) => knownField(name.trim(), view, "--columns"));
  return {
    ...view,
    ...(chosen === undefined ? {} : { columns: chosen }),
    layout: {
      hasChosenColumns: chosen !== undefined,
      isHeaderless: noHeader === true,
      isNullSeparated: isNullSeparated === true,
    },
  };
}

/**
 * Returns the name of a field that the list has, also for its heading.
 *
 * @param option the option that names it: `--sort`
 * @throws SendctlError "usage" with the known fields
 */
function knownField(field: string, view: RecordView, option: string): string {
  if (Object.hasOwn(view.fields, field)) return field;
  const wanted = comparable(field);
  const labelled = Object.entries(view.fields).find(
    ([, { label }]) => comparable(label) === wanted,
  );
  if (labelled !== undefined) return labelled[0];
  const names = Object.keys(view.fields).join(", ");
  throw invalidValue("field", field, option, `use one of ${names}`);
}

/** Fields with generated text, which `--search` ignores. */
const generated = new Set(
  [groupFields, senderIdFields].flatMap((fields: Fields) =>
    namesOf(fields, ({ type }) => type === "uuid" || type === "timestamp"),
  ),
);

/** Returns a filter that combines all filter options; undefined if there are none. */
function filterOf(options: FurtherOptions): Matches | undefined {
  if (options.search === "") throw emptyValue("--search", "pass the text to search for");
  const parts = filterNames.flatMap((name) => {
    const given = options[name];
    return given === undefined ? [] : filters[name](given);
  });
  if (parts.length === 0) return undefined;
  return (record) => parts.every((matches) => matches(record));
}

/** Returns a text in lower case, composed, because some systems write é as two characters. */
function comparable(text: string): string {
  return normalized(text, "NFC").toLowerCase();
}

/**
 * Returns the sort function for `FIELD`, `FIELD:asc` or `FIELD:desc`. Records without the field are
 * always last; equal ones keep the service's order. Text is compared in lower case.
 *
 * @throws SendctlError "usage" for an unknown field or direction
 */
function sortOf(given: string | undefined, view: RecordView): Sort | undefined {
  if (given === undefined) return undefined;
  const [, mark, first] = /^([+-])([^:]+)$/.exec(given) ?? [];
  if (mark !== undefined && first !== undefined) {
    const order = `${knownField(first, view, "--sort")}:${mark === "-" ? "desc" : "asc"}`;
    throw invalidValue("field", given, "--sort", `write --sort ${order}`);
  }
  const [name = "", direction = "asc", ...further] = given.split(":");
  const field = knownField(name, view, "--sort");
  if (!["asc", "desc"].includes(direction) || further.length > 0) {
    throw invalidValue("order", given, "--sort", `use ${field}:asc or ${field}:desc`);
  }
  const sign = direction === "asc" ? 1 : -1;
  return (lines) => {
    const keys = lines.map(({ record }) => keyOf(record[field]));
    const order = [...keys.keys()].toSorted((a, b) => compare(keys[a], keys[b], sign));
    return order.map((index) => lines[index]!);
  };
}

/** The sort key of a value; undefined comes last. */
type Key = number | bigint | string | undefined;

function keyOf(value: unknown): Key {
  if (typeof value === "string") return value.toLowerCase();
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" || typeof value === "bigint" ? value : undefined;
}

function compare(a: Key, b: Key, sign: 1 | -1): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  if ((typeof a === "string") !== (typeof b === "string"))
    return typeof a === "string" ? sign : -sign;
  return a < b ? -sign : sign;
}

/** The largest page size that services usually accept. */
const maxPageSize = 1000;

/** Number of sorted records to show at a time. */
const batchSize = 1000;

/** Reads a list and shows the selected records; without `sort`, as they are read. */
async function selectRecords(
  output: Output,
  operation: List,
  view: RecordView,
  selection: Selection,
): Promise<ExitCode> {
  const { perPage, limit = Infinity, matches, sort } = selection;
  const progress = output.progress();
  const read = { matching: 0, total: { total: 0 } as Total };
  const list = leanPages(operation);
  const isFiltered = matches !== undefined || sort !== undefined;
  const options: ReadOptions = {
    perPage,
    ...(isFiltered ? {} : { pageSize: Math.min(limit, maxPageSize) }),
    isEnough: () => output.isUnread() || (sort === undefined && read.matching >= limit),
    progress: async (count, total) => {
      read.total = total;
      await progress.update(`${count} of ${totalText(total)} read`);
    },
  };
  /** Passes on the records that match, up to the limit unless they are sorted first. */
  const selecting = ({ add, clear }: RecordSink): RecordSink => ({
    add: async (lines) => {
      const found = matches === undefined ? lines : lines.filter(({ record }) => matches(record));
      const room = sort === undefined ? limit - read.matching : found.length;
      read.matching += Math.min(found.length, room);
      if (found.length > 0 && room > 0) await add(found.slice(0, room));
    },
    ...(clear && {
      clear: () => {
        read.matching = 0;
        clear();
      },
    }),
  });
  const source: RecordSource = async (sink) => {
    if (sort === undefined) return readList(list, selecting(sink), options);
    const held = holdLines();
    const holding = { add: async (lines: readonly Line[]) => held.add(lines), clear: held.clear };
    const message = await readList(list, selecting(holding), options);
    const sorted = sort([...held]).slice(0, limit);
    for (let at = 0; at < sorted.length; at += batchSize) {
      await sink.add(sorted.slice(at, at + batchSize));
    }
    return message;
  };
  try {
    const nothing = matches === undefined ? {} : { nothing: `No ${view.many} match` };
    const exitCode = await output.stream(source, view, nothing);
    const missing = missingText(read, selection);
    if (exitCode === exitCodes.done && missing !== undefined) await output.say(missing);
    return exitCode;
  } finally {
    await progress.done();
  }
}

/** Returns a line about the records that `--limit` omits. */
function missingText(
  { matching, total }: { readonly matching: number; readonly total: Total },
  { limit, matches, sort }: Selection,
): string | undefined {
  if (limit === undefined || matching < limit) return undefined;
  const known =
    matches === undefined ? total : sort === undefined ? undefined : { total: matching };
  if (known === undefined)
    return `${counted(limit, "matching record")}; there may be more without --limit`;
  if (known.total <= limit) return undefined;
  const text = `${limit} of ${totalText(known)}`;
  return matches === undefined
    ? `${text} records; --all for the rest`
    : `${text} matching records; omit --limit for the rest`;
}

/**
 * Repeats a list until the service refuses it or its output is closed. A terminal shows only the
 * latest, with target and time; while the service is away, that stays, with one warning.
 *
 * @param interval milliseconds between the end of one list and the start of the next
 * @throws SendctlError "cancelled" or "terminated" on a signal; the first error without a list
 */
async function watchList(
  list: () => Promise<ExitCode>,
  interval: number,
  { output, clock, config }: Pick<Session, "output" | "clock" | "config">,
): Promise<ExitCode> {
  let shownAt: string | undefined;
  let isAway = false;
  const target = safeText(targetName(config.settings));
  for (;;) {
    try {
      // The time of day: 10:02:13.
      const now = new Date(clock.now()).toTimeString().slice(0, 8);
      output.redraw(true, `${target} · as of ${now}`);
      const exitCode = await list();
      if (exitCode !== exitCodes.done || output.isUnread()) return exitCode;
      shownAt = now;
      isAway = false;
    } catch (error) {
      if (!isOutage(error) || shownAt === undefined) throw error;
      output.redraw(false);
      if (!isAway) await output.warn(`${safeText(error.message)} · as of ${shownAt}`);
      isAway = true;
    }
    await clock.sleep(interval);
  }
}

/** Returns whether an error may pass: no connection, HTTP 5xx, or the page of a gateway. */
function isOutage(error: unknown): error is SendctlError {
  if (!(error instanceof SendctlError)) return false;
  const { kind, details } = error;
  const { httpStatus = 0 } = details;
  if (isRefusal(error)) return kind === "unavailable" || isOfGateway(error.reply);
  const isPage = httpStatus >= 400 || (httpStatus >= 200 && httpStatus < 300);
  return kind === "unavailable" || isPage;
}
