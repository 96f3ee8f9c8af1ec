import { readFileSync, readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { defineConfig } from "rolldown";
import { noteSources } from "./test/support/current-build.mjs";

/**
 * The chunks of the bundle. Reading a file costs a quarter of a millisecond of start-up, so modules that are always
 * loaded together share a chunk. Chunks follow the folders; a module in none is in a chunk of what imports it. A group
 * includes the imports of its modules, unless a group of higher priority has them.
 */
const groups = [
  {
    name: "base",
    priority: 9,
    // The launcher loads this chunk itself: main.cjs, which only passes its exports on, is for the build and scripts.
    // `serve` must not load conf, which ends a process on signals that Node ignores (SIGXFSZ): what conf imports is here.
    test: /src.core.(?!yaml|lock|own-file|programs|certificate|temporary-folder)|src.contract.(?!check)|src.engine.rules.rulings|src.config.(?!write|state-file|journal|keychain|services)|src.output.(exit-codes|writer|terminal|secrets\.|formats.formats|prompts.prompter\.)|src.command.define-command|src.cli.(main|program|registry)|node_modules.commander|package\.json/,
  },
  {
    name: "commands",
    priority: 8,
    // The most frequent commands, `sendctl group` and `sendctl sender-id`, and modules that all commands share.
    test: /src.core.own-file|src.client.compare|src.commands.((group|sender-id).)?[^\\/]+$|src.command[\\/](?!define-command|layers.(journal|dry-run)|probe-target|serving|background|lists.(?!list\.))|src.service|src.output(?!.(pager|table|formats.(csv|yaml|query)|prompts.(drawn|plain)))/,
  },
  {
    // Small modules that commands of several chunks need.
    name: "shared",
    priority: 8,
    test: /src.core.(lock|yaml.yaml-text)|src.manifest.(schema|variables|manifest)\.ts|src.commands.schema|src.contract.check|src.probe.behaviour-text/,
  },
  { name: "table", priority: 7, test: /src.output.table.(table|display-width)/ },
  {
    name: "engine",
    priority: 7,
    test: /src.engine(?!.(postgres|maintenance|contacts|seed|sqlite.(backup|bulk|integrity|maintenance)))|node_modules.better-sqlite3-driver/,
  },
  {
    name: "client",
    priority: 5,
    test: /src.client(?!.examine)|src.command.layers.dry-run/,
  },
  { name: "yaml", priority: 5, test: /src.core.yaml|node_modules.yaml\b/ },
  {
    name: "postgres",
    priority: 5,
    test: /src.engine.postgres|node_modules.(pg|pg-[a-z-]+|pgpass|postgres-[a-z]+|split2|xtend)[\\/]/,
  },
  {
    name: "manifest",
    priority: 4,
    test: /src.manifest\b|src.commands.(manifest|history)|src.config.state-file/,
  },
  {
    name: "local",
    priority: 6,
    test: /src.engine.(maintenance|sqlite.(backup|bulk|integrity|maintenance))/,
  },
  // Writes load it.
  { name: "history", priority: 7, test: /src.command.layers.journal|src.config.journal/ },
  {
    name: "conf",
    priority: 3,
    test: /src.config.write-profiles|node_modules.conf\b/,
  },
  {
    name: "prompts",
    priority: 3,
    test: /src.output.prompts.drawn-prompter|node_modules.@inquirer/,
  },
  {
    name: "commands-seldom",
    priority: 2,
    test: /src.commands.(?!doctor|probe|schema)|src.command.(lists|records)|src.server.(request-log|faults)/,
  },
  {
    name: "server",
    priority: 1,
    test: /src.server(?!.(openapi|control|inspect))|src.command.serving/,
  },
];

/**
 * Modules that packages load for features that sendctl does not use: commander starts programs as subcommands,
 * cli-table3 measures text (src/output/table/table.ts replaces that), conf checks values by a schema, and pg has a
 * native driver, and one for Cloudflare. better-sqlite3 runs JavaScript as SQL functions.
 */
const unused = [
  { id: "node:child_process", importer: "commander" },
  { id: "string-width", importer: "cli-table3" },
  { id: "ajv/dist/2020.js", importer: "conf" },
  { id: "ajv-formats", importer: "conf" },
  { id: "pg-cloudflare", importer: "pg" },
  { id: "pg-native", importer: "pg" },
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
  load: (id) =>
    id === nothing ? "export default {}; export const Ajv2020 = undefined;" : undefined,
};

/** Includes files as texts: `import text from "./page.html?raw"`. */
export const rawTexts = {
  name: "raw-texts",
  /** @param {string} id @param {string | undefined} importer */
  resolveId: (id, importer = "") =>
    id.endsWith("?raw") ? resolve(dirname(importer), id) : undefined,
  /** @param {string} id */
  load: (id) =>
    id.endsWith("?raw")
      ? {
          code: `export default ${JSON.stringify(readFileSync(id.slice(0, -4), "utf8"))};`,
          moduleType: "js",
        }
      : undefined,
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

/** Writes the types of the entry for test suites, and a module for `import`. */
const testing = {
  name: "testing",
  generateBundle() {
    const types = readFileSync("src/testing/public.d.ts", "utf8");
    const names = [...types.matchAll(/^export declare (?:function|class) (\w+)/gm)].map(
      ([, name]) => name,
    );
    const source = `import testing from "./testing.cjs";\nexport const { ${names.join(", ")} } = testing;\n`;
    for (const fileName of ["testing.d.mts", "testing.d.cts"]) {
      this.emitFile({ type: "asset", fileName, source: types });
    }
    this.emitFile({ type: "asset", fileName: "testing.mjs", source });
  },
};

/** Writes what the program was built from. */
const sources = { name: "sources", writeBundle: noteSources };

export default defineConfig({
  input: { main: "src/cli/main.ts", testing: "src/testing/testing.ts" },
  platform: "node",
  plugins: [withoutUnused, rawTexts, withoutLogging, asciiOnly, licences, testing, sources],
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
