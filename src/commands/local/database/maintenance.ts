import { protectionsAt } from "../../../config/target.ts";
import { SendctlError } from "../../../core/error.ts";
import { counted, safeText, sizeText } from "../../../core/text.ts";
import {
  defineCommand,
  flag,
  optional,
  text,
  type Values,
} from "../../../command/define-command.ts";
import type { KeptDatabase, RecordCounts } from "../../../engine/maintenance/maintenance.ts";
import { localDay } from "../../../core/time.ts";
import { doneReply } from "../../../service/lines.ts";
import { exitCodes } from "../../../output/exit-codes.ts";
import { confirm, mustConfirm, required, wholeNumber } from "../../../command/arguments.ts";
import type { RecordView } from "../../../output/views.ts";
import { databaseUrl } from "../../../config/database.ts";
import { stayLean } from "../../../service/read-list.ts";
import type { SeedCounts } from "../../../engine/seed/seed.ts";

/** The message for a database that does not exist. */
const notCreated = "The database does not exist yet; it is created by the first write";

/** Returns whether a database has no records but the default integration, which always exists. */
function isEmpty(counts: RecordCounts): boolean {
  const { integrations, keys, sender_ids, groups, contacts } = counts;
  return integrations <= 1 && keys + sender_ids + groups + contacts === 0;
}

/** Formats record counts for people, without the default integration if it is the only one. */
function contentText(counts: RecordCounts): string {
  const nouns = [
    [counts.sender_ids, "sender ID"],
    [counts.groups, "group"],
    [counts.contacts, "contact"],
    [counts.keys, "key"],
    [counts.integrations <= 1 ? 0 : counts.integrations, "integration"],
  ] as const;
  const parts = nouns.flatMap(([count, noun]) => (count === 0 ? [] : counted(count, noun)));
  return parts.join(", ") || "nothing";
}

function sizeCell(value: unknown): { readonly text: string } {
  return { text: sizeText(Number(value)) };
}

/** Every field that `local info`, `backup` and `restore` show. */
const databaseView: RecordView = {
  key: "database",
  fields: {
    database: { label: "Database" },
    file: { label: "File" },
    exists: {
      label: "Exists",
      cell: (value) => ({ text: value === true ? "yes" : "not created" }),
    },
    bytes: { label: "Size", cell: sizeCell },
    log_bytes: { label: "Log (WAL)", cell: sizeCell },
    schema_version: { label: "Schema version" },
    sqlite_version: { label: "SQLite version" },
    postgres_version: { label: "PostgreSQL version" },
    integrations: { label: "Integrations" },
    keys: { label: "Keys" },
    sender_ids: { label: "Sender IDs" },
    groups: { label: "Groups" },
    contacts: { label: "Contacts" },
    kept_database: { label: "Old database" },
  },
  columns: [],
};

/** With `-o id` this view prints the backup file, which the next command takes. */
const backupView: RecordView = { ...databaseView, key: "file" };

/** Shown before the question of a command that destroys records. */
/** Names the database that an earlier restore has kept, with the day of its last change. */
function keptText({ file, changed }: KeptDatabase): string {
  return `${file} of ${localDay(changed)}`;
}

const checkView: RecordView = {
  key: "check",
  fields: {
    check: { label: "Check" },
    status: {
      label: "Status",
      cell: (value) =>
        value === "ok"
          ? { text: "ok", style: (style) => style.good }
          : { text: "error", style: (style) => style.bad },
    },
    detail: { label: "Detail", column: { least: 20 } },
  },
  columns: ["check", "status", "detail"],
};

export const localInfo = defineCommand({
  path: "local info",
  summary: "Show the database location and record counts",
  description:
    "Show the location, size and record counts of the embedded database. Never creates a database.",
  examples: ["sendctl local info", "sendctl local info --json"],
  async run(context) {
    const info = await (await context.local.database("read")).info();
    const message = info.exists ? "The database exists" : notCreated;
    return context.output.record(doneReply(message, info), databaseView, {
      isNarrated: !info.exists,
    });
  },
});

export const localCheck = defineCommand({
  path: "local check",
  summary: "Check the integrity of the database",
  description:
    "Check the integrity of the embedded database: its schema, pages, indexes, references, totals and clock. Changes nothing, and other processes can keep writing. For SQLite: PostgreSQL has pg_dump and pg_restore.",
  examples: ["sendctl local check"],
  async run({ local, output, config }) {
    const report = await (await local.database("read")).check();
    const { database, exists, checks, problem_count, problems, hint } = report;
    if (!exists && config.settings.sources.database !== "default") {
      const message = `the database ${database} does not exist`;
      throw new SendctlError("database", message, { hint: "check its name" });
    }
    const isOk = problem_count === 0;
    const found = isOk
      ? "No problems found"
      : `the database ${database} has ${counted(problem_count, "problem")}`;
    const message = exists ? found : notCreated;
    // One row per problem, or one per check without problems.
    const items = checks.flatMap((name) => {
      const failed = problems.filter((problem) => problem.check === name);
      if (failed.length === 0) return [{ check: name, status: "ok", detail: "no problems" }];
      return failed.map(({ detail }) => ({ check: name, status: "error", detail }));
    });
    await output.report({
      message,
      data: { database, exists, problem_count, problems },
      ...(isOk ? {} : { error: { kind: "database", hint } }),
      ...(exists ? { records: { items, view: checkView } } : {}),
    });
    if (isOk) await output.say(safeText(message));
    else await output.printError(`${safeText(message)}\nhint: ${hint}`);
    return isOk ? exitCodes.done : exitCodes.database;
  },
});

export const localReset = defineCommand({
  path: "local reset",
  changes: "database",
  summary: "Empty the database",
  description:
    "Empty the embedded database: delete all keys, sender IDs, groups, contacts, and integrations except the default one. Ids start at 1 again.",
  options: {
    keepKeys: flag("--keep-keys", "keep keys and their integrations"),
    yes: flag("-y, --yes", "delete without confirmation"),
  },
  examples: ["sendctl local reset --yes", "sendctl local reset --keep-keys --yes"],
  async run(context, _, { keepKeys, yes }) {
    const { local, output } = context;
    const maintenance = await local.database();
    const info = await maintenance.info();
    const nothing = (why: string) => output.done(doneReply(`Nothing to reset: ${why}`, null));
    if (!info.exists) return nothing("the database does not exist");
    const { database } = info;
    const kept = maintenance.kept?.();
    if ((!isEmpty(info) || kept) && mustConfirm(context, yes, "reset", "database")) {
      const except = keepKeys ? ", except keys and their integrations" : "";
      const also = kept === undefined ? "" : `, and ${keptText(kept)}`;
      const question = `Delete everything in ${database}${except} (${contentText(info)})${also}?`;
      const isFile = context.config.settings.databaseUrl === undefined;
      const backup = isFile ? "sendctl local backup FILE" : "pg_dump";
      await output.say(`\`sendctl undo\` cannot undo this. To keep a copy first: ${backup}`);
      await confirm(context, "reset", question, "Nothing deleted", "database");
    }
    const deleted = await maintenance.reset(keepKeys);
    if (deleted === undefined) return nothing("the database was removed");
    await output.say(`The database contained ${contentText(deleted)}`);
    return output.done(doneReply("Database reset", { database, held: deleted }));
  },
});

export const localBackup = defineCommand({
  path: "local backup",
  summary: "Back up the database to a file",
  description:
    "Back up the embedded database to a file. Other processes can keep writing. FILE appears only once the backup has been checked. For SQLite: PostgreSQL has pg_dump.",
  args: { file: optional("file to create", { takes: "file" }) },
  options: { force: flag("--force", "replace an existing file") },
  examples: ["sendctl local backup friday.db", "sendctl local backup friday.db --force --json"],
  async run({ ask, config, input, local, output }, given, { force }) {
    const file = await required(ask, given.file, "FILE", "File to create");
    const place = { baseUrl: undefined, database: input.path(file), databaseUrl: undefined };
    const [found] = protectionsAt(place, config.read());
    if (found !== undefined) {
      const message = `${file} is a protected database; refusing to replace it`;
      throw new SendctlError("usage", message, { hint: "use another file" });
    }
    const maintenance = await local.database("read");
    const report = await maintenance.backup(file, force);
    return output.record(doneReply("Database backed up", report), backupView);
  },
});

/** The backup is checked before the question. */
export const localRestore = defineCommand({
  path: "local restore",
  changes: "database",
  summary: "Restore the database from a backup",
  description:
    "Replace everything in the embedded database with the contents of a backup. The backup is checked first. All or nothing; no other process may have the database open. For SQLite: PostgreSQL has pg_restore.",
  args: { file: optional("backup file; it is not changed", { takes: "file" }) },
  options: { yes: flag("-y, --yes", "replace without confirmation") },
  examples: ["sendctl local restore friday.db", "sendctl local restore friday.db --yes"],
  async run(context, given, { yes }) {
    const { ask, config, local, output } = context;
    const file = await required(ask, given.file, "FILE", "Backup to restore");
    const maintenance = await local.database();
    const report = await maintenance.restore(file, async (counts, current, kept) => {
      const hasContent = current === "damaged" || (current !== undefined && !isEmpty(current));
      if ((!hasContent && kept === undefined) || !mustConfirm(context, yes, "restore", "database"))
        return;
      const old = typeof current === "object" ? contentText(current) : (current ?? "empty");
      const { database } = config.settings;
      const replaced = kept === undefined ? "" : `, which replaces ${keptText(kept)}`;
      const question = `Replace the contents of ${database} (${old}) with those of ${file} (${contentText(counts)})${replaced}?`;
      await confirm(context, "restore", question, "Nothing restored", "database");
    });
    return output.record(doneReply("Database restored", report), databaseView);
  },
});

export const localCopy = defineCommand({
  path: "local copy",
  summary: "Copy everything to another database",
  description:
    "Copy everything, including keys, to an empty PostgreSQL database or a new file. All or nothing. Ids, uuids, times and keys stay the same.",
  options: {
    to: text("--to <file>", "target file, or postgres://USER@HOST:PORT/NAME", {
      takes: "file",
    }),
  },
  examples: [
    "sendctl local copy --to copy.db",
    "sendctl local copy --to postgres://sendctl@localhost/sendctl",
  ],
  async run({ ask, clock, config, input, local, output }, _, options) {
    const to = await required(ask, options.to, "--to", "Database to copy to");
    const database = to.includes("://") ? to : input.path(to);
    const place = { baseUrl: undefined, database, databaseUrl: databaseUrl(database, "--to") };
    const found = protectionsAt(place, config.read());
    if (found.some(([, { level }]) => level === "read-only")) {
      const hint = "copy to another database, or run sendctl profile protect NAME --off";
      throw new SendctlError("usage", "refusing to copy to a read-only database", { hint });
    }
    const progress = output.progress();
    const step = async (rows: number): Promise<void> => {
      await progress.update(`Copied ${rows.toLocaleString("en")} rows`);
      // Gives a pending signal the chance to end the copy.
      await clock.sleep(0);
    };
    const report = await local.copyTo(to, step).finally(progress.done);
    return output.record(doneReply("Database copied", report), copyView);
  },
});

const copyView: RecordView = {
  ...databaseView,
  key: "to",
  fields: { from: { label: "From" }, to: { label: "To" }, ...databaseView.fields },
};

const options = {
  senderIds: text("--sender-ids <n>", "number of sender IDs (default: 5)"),
  groups: text("--groups <n>", "number of groups (default: 20)"),
  contacts: text("--contacts <n>", "number of contacts, in all new groups together (default: 200)"),
  integration: text("--integration <name>", "integration of the records (default: the key's)"),
};

export const localSeed = defineCommand({
  path: "local seed",
  changes: "database",
  summary: "Add generated test records",
  description:
    "Add realistic generated sender IDs, groups and contacts. The same numbers produce the same records in each new database.",
  options,
  examples: ["sendctl local seed", "sendctl local seed --groups 1000 --contacts 5000 --json"],
  async run({ clock, local, output }, _, given) {
    const { integration } = given;
    const counts = countsOf(given);
    const { seed } = await local.engine();
    await stayLean();
    const progress = output.progress();
    let added: SeedCounts = { senderIds: 0, groups: 0, contacts: 0 };
    try {
      const step = async (now: SeedCounts): Promise<void> => {
        added = now;
        const percent = Math.floor((100 * total(now)) / total(counts));
        await progress.update(`${percent}% · ${countedText(now)}`);
        // Gives a pending signal the chance to end the command.
        await clock.sleep(0);
      };
      const { key, source } = await local.key();
      return await output.record(await seed(counts, step, integration, key, source), seedView);
    } catch (error) {
      if (total(added) > 0) await output.say(`Added before the failure: ${countedText(added)}`);
      throw error;
    } finally {
      await progress.done();
    }
  },
});

/** A larger group could run out of the distinct phone numbers of a country. */
const maxContactsPerGroup = 5_000_000;

function countsOf(given: Values<typeof options>): SeedCounts {
  const senderIds = wholeNumber(given.senderIds, "--sender-ids", 0, 100_000) ?? 5;
  const groups = wholeNumber(given.groups, "--groups", 0, 10_000_000) ?? 20;
  const contacts =
    wholeNumber(given.contacts, "--contacts", 0, 100_000_000) ?? (groups === 0 ? 0 : 200);
  if (contacts > groups * maxContactsPerGroup) {
    throw new SendctlError("usage", `--contacts ${contacts} is too many for --groups ${groups}`, {
      hint: `use at most ${maxContactsPerGroup} contacts per group, or more groups`,
    });
  }
  return { senderIds, groups, contacts };
}

function total({ senderIds, groups, contacts }: SeedCounts): number {
  return senderIds + groups + contacts;
}

/** Formats counts like 1,000,000. */
function countedText({ senderIds, groups, contacts }: SeedCounts): string {
  const counts = Object.entries({ "sender IDs": senderIds, groups, contacts });
  return counts.map(([noun, count]) => `${count.toLocaleString("en")} ${noun}`).join(" · ");
}

const number = { align: "right" } as const;

const seedView: RecordView = {
  key: "integration",
  fields: {
    integration: { label: "Integration" },
    sender_ids_added: { label: "Sender IDs", column: number },
    groups_added: { label: "Groups", column: number },
    contacts_added: { label: "Contacts", column: number },
  },
  columns: ["integration", "sender_ids_added", "groups_added", "contacts_added"],
};
