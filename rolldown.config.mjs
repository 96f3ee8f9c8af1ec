import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { env } from "node:process";
import { defineConfig } from "rolldown";
import { noteSources } from "./test/support/current-build.mjs";

/**
 * The chunks of the bundle. Reading a file costs a quarter of a millisecond of start-up, so modules that are always
 * loaded together share a chunk, and modules that few commands need have other chunks. Chunks follow the folders;
 * a file is named here only if it loads a large package.
 */
const groups = [
  { name: "seed", priority: 1, test: /src.engine.seed.(?!seed-store|seeding)/ },
  {
    name: "engine",
    test: /src.engine(?!.(postgres|maintenance.cop|contacts|sqlite.(copy-records|maintenance|put-)))|node_modules.better-sqlite3-driver/,
  },
  {
    name: "postgres",
    test: /src.engine.postgres|node_modules.(pg|pg-[a-z-]+|pgpass|postgres-[a-z]+|split2|xtend)[\\/]/,
  },
  {
    name: "copying",
    test: /src.cli.copy-database|src.engine.(maintenance.cop|sqlite.copy-records)/,
  },
  { name: "maintenance", test: /src.engine.sqlite.maintenance.(?!integrity|examine)/ },
  {
    name: "conf",
    test: /src.config.(write-profiles|lock)\.ts|node_modules.(conf|ajv|ajv-formats|fast-(deep-equal|uri)|json-schema-|atomically|stubborn-|when-exit|debounce-fn|mimic-function|dot-prop|env-paths|semver|uint8array-extras)\b/,
  },
  // A group includes its imports, which tables without borders need, too.
  { name: "table", test: /src.output.table.(table|display-width)/, priority: 6 },
  {
    name: "bordered-table",
    test: /src.output.table.bordered|node_modules.(cli-table3|@colors)/,
    priority: 1,
  },
  { name: "long-list", test: /src.output.(lists.spooled|formats.long)|src.runtime.spool/ },
  {
    name: "width",
    test: /src.output.table.(clusters|code-points)|node_modules.get-east-asian-width/,
  },
  { name: "colour", test: /node_modules.chalk/ },
  {
    name: "prompts",
    test: /src.prompts.(prompts|fit)\.ts|node_modules.(@inquirer|fast-|signal-exit|mute-stream|cli-width)/,
  },
  // The most frequent commands, `sendctl group` and `sendctl sender-id`, and modules that all commands share.
  {
    name: "commands",
    priority: 2,
    test: /src.commands.((group|sender-id).)?[^\\/]+$|src.commands.records.confirm|src.(output|service)(?!.(dry-run|shown|waiting|table|lists.spooled|formats.((csv|id|yaml|long-json)\.|query)))|src.(cli.context|runtime.lean-memory|prompts.pick-record)/,
  },
  {
    name: "desired-state",
    test: /src.plan\b|src.commands.manifest|src.config.state-file/,
  },
  {
    name: "schema",
    test: /src.manifest.(schema|variables|manifest)\.ts|src.commands.schema/,
    priority: 1,
  },
  {
    name: "manifest-text",
    test: /src.manifest.(write|export.exported)\.ts/,
    priority: 1,
  },
  { name: "probe", test: /src.probe|src.commands.probe|src.cli.probe-target/, priority: 1 },
  {
    name: "behaviour",
    priority: 4,
    test: /src.behaviour.(check|write)/,
  },
  // Also used by exports.
  { name: "yaml-text", priority: 5, test: /src.contract.text.yaml-text/ },
  { name: "behaviour-file", test: /src.behaviour.read/ },
  { name: "openapi", test: /src.openapi/ },
  { name: "manifest", test: /src.manifest/ },
  { name: "yaml", test: /node_modules.yaml\b|src.yaml/, priority: 1 },
  {
    name: "contacts",
    test: /src.engine.(contacts.(?!phone)|sqlite.put-)/,
  },
  { name: "lossless", test: /node_modules.lossless-json/, priority: 2 },
  { name: "lists", test: /src.commands.lists/, priority: 1 },
  {
    name: "query",
    test: /src.output.formats.query|node_modules.jmespath/,
    priority: 1,
  },
  { name: "records", test: /src.commands.records/, priority: 1 },
  {
    name: "commands-seldom",
    test: /src.commands.(?!doctor)|src.request-log/,
  },
  { name: "phone", test: /src.engine.contacts.phone|node_modules.libphonenumber-js/ },
  { name: "csv-parse", test: /node_modules.csv-parse/ },
  { name: "remote", test: /src.remote(?!.examine)|src.service.(dry-run|shown|waiting)/ },
  { name: "proxy", test: /node_modules.(https?-proxy-agent|agent-base|proxy-|debug|ms)/ },
  { name: "segments", test: /node_modules.(sms-segments-calculator|grapheme-splitter)/ },
  { name: "metrics", test: /src.metrics/ },
  { name: "server", test: /src.server|src.cli.serve-engine/ },
  { name: "help", test: /src.cli.help/ },
  // After the commands: a group includes its imports, and the menu imports some modules of theirs.
  { name: "menu", test: /src.cli.menu/ },
  { name: "doctor", test: /src.doctor|src.commands.doctor|src.*(examine|integrity)\.ts/ },
  {
    name: "base",
    priority: 3,
    // The launcher loads this chunk itself: main.cjs, which only passes its exports on, is for the build and scripts.
    // rename-over is here because conf would take it along: `serve` must not load conf, which ends a process on
    // signals that Node ignores (SIGXFSZ).
    test: /src.cli.main\.ts|node_modules.commander|src.engine.rulings|src.(contract.(?!text.yaml)|config(?!.(write-profiles|lock|state-file)\.ts)|service.(shown|announce|trace)|runtime.(runtime|descriptor|rename-over|make-folder|open-input)|cli.(program|define-command|registry|writers)|output.(exit-codes|safe-text|writer|style|secrets|formats.formats)|prompts.prompter\.)|package\.json/,
  },
];

/**
 * Modules that packages load for features that sendctl does not use: commander starts programs as subcommands,
 * cli-table3 measures text (src/output/table/table.ts replaces that), and pg has a native driver, one for Cloudflare,
 * and a reader of ~/.pgpass (src/engine/postgres/connection/address.ts replaces that). better-sqlite3 runs
 * JavaScript as SQL functions.
 */
const unused = [
  { id: "node:child_process", importer: "commander" },
  { id: "string-width", importer: "cli-table3" },
  { id: "pg-cloudflare", importer: "pg" },
  { id: "pg-native", importer: "pg" },
  { id: "pgpass", importer: "pg" },
  { id: "./methods/table", importer: "better-sqlite3-driver" },
  { id: "./methods/aggregate", importer: "better-sqlite3-driver" },
  { id: "./methods/function", importer: "better-sqlite3-driver" },
];
/** @param {string} file @param {string} name */
const isOf = (file, name) => file.replaceAll("\\", "/").includes(`node_modules/${name}/`);
const nothing = "\0nothing";
const withoutUnused = {
  name: "without-unused",
  /** @param {string} id @param {string | undefined} importer */
  resolveId: (id, importer = "") =>
    unused.some((one) => one.id === id && isOf(importer, one.importer)) ? nothing : undefined,
  /** @param {string} id */
  load: (id) => (id === nothing ? "export default {};" : undefined),
};

/**
 * Gives yaml an empty environment. It reads the environment at every token to decide whether to log the token to
 * stdout, which takes longer than the token.
 */
const emptyProcess = "\0empty-process";
const withoutLogging = {
  name: "without-logging",
  /** @param {string} id @param {string | undefined} importer */
  resolveId: (id, importer = "") =>
    id === "process" && isOf(importer, "yaml") ? emptyProcess : undefined,
  /** @param {string} id */
  load: (id) => (id === emptyProcess ? "export const env = {};" : undefined),
};

/**
 * Escapes characters outside ASCII. V8 keeps other sources with two bytes for each character, which take longer to
 * read and to collect: 2 % of the processor time of a listing.
 */
const asciiOnly = {
  name: "ascii-only",
  /** @param {object} _ @param {Record<string, { code?: string }>} bundle */
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.code === undefined) continue;
      chunk.code = chunk.code.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
    }
  },
};

/** Writes the licences of the bundled packages, which must be included in the package. */
const licences = {
  name: "licences",
  /** @param {object} _ @param {Record<string, { moduleIds?: string[] }>} bundle */
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const roots = modules.flatMap(
      (id) => /^.*node_modules.(@[^/\\]+.)?[^/\\]+/.exec(id)?.[0] ?? [],
    );
    const packages = [...new Set(roots)].toSorted().map((root) => {
      const textOf = (name) => {
        const file = readdirSync(root).find((entry) => name.test(entry));
        return file && readFileSync(`${root}/${file}`, "utf8").trim();
      };
      // Some packages have it at the end of their README.
      const text =
        textOf(/^licen[cs]e/i) ?? /^#+ *licen[cs]e\b[^]*$/im.exec(textOf(/^readme/i) ?? "")?.[0];
      return { ...JSON.parse(readFileSync(`${root}/package.json`, "utf8")), text };
    });
    // A package without a text uses that of another package from the same repository.
    const shared = ({ repository, license }) =>
      packages.find(
        (other) =>
          repository?.url !== undefined &&
          other.repository?.url === repository.url &&
          other.license === license &&
          other.text !== undefined,
      )?.text ?? "";
    const texts = packages.map(
      (one) => `${one.name} ${one.version} (${one.license})\n\n${one.text ?? shared(one)}\n`,
    );
    const source = texts.join(`\n${"-".repeat(80)}\n\n`);
    this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENSES.txt", source });
  },
};

/** Writes the manual page with the program that was just built, and what it was built from. */
const manual = {
  name: "manual",
  async writeBundle() {
    const { default: built } = await import(new URL("dist/main.cjs", import.meta.url).href);
    const seconds = env.SOURCE_DATE_EPOCH;
    const date = seconds === undefined ? new Date() : new Date(Number(seconds) * 1000);
    const page = await built.manual(date.toISOString().slice(0, 10));
    writeFileSync(new URL("dist/sendctl.1", import.meta.url), page);
    noteSources();
  },
};

export default defineConfig({
  input: "src/cli/main.ts",
  platform: "node",
  plugins: [withoutUnused, withoutLogging, asciiOnly, licences, manual],
  output: {
    dir: "dist",
    cleanDir: true,
    format: "cjs",
    minify: true,
    // The launcher needs the names of what main exports.
    minifyInternalExports: false,
    // Node's loader of ES modules takes milliseconds to start.
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    codeSplitting: { groups },
  },
});
