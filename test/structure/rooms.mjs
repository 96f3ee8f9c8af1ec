/**
 * The rooms of `src`, which are its folders, from the bottom up: what each contains, and which others it may import.
 * The linter (oxlint-plugin.mjs), the test of the structure and the table and picture in CONTRIBUTING.md follow from it.
 *
 * @typedef {object} Room
 * @property {string} contents for the table
 * @property {readonly string[]} imports
 * @property {readonly string[]} [importsTypesOf]
 */

/** @type {Readonly<Record<string, Room>>} */
export const rooms = {
  core: {
    contents:
      "what every room may use: errors, JSON and other text, `yaml/`, time, files, streams and child processes. Only `runtime.ts` reads `process`",
    imports: [],
  },
  contract: {
    contents: "the service as data and types: resources, operations, behaviour, replies",
    imports: ["core"],
  },
  service: {
    contents:
      "what can be read from any `Service`: whole lists, also while they change, records and their text, refusals",
    imports: ["contract", "core"],
  },
  client: {
    contents:
      "a `Service` over HTTP: `http/` has attempts, retries and proxies, `writes/` requests with unknown outcomes",
    imports: ["service", "contract", "core"],
  },
  engine: {
    contents:
      "a `Service` in this process: `rules/` over a `store/`, which `sqlite/` and `postgres/` implement (all SQL and all errors of drivers stay in them); `maintenance/`, `contacts/`, `seed/`, `administration/`",
    imports: ["contract", "core"],
  },
  server: {
    contents:
      "an engine behind node:http: routes, bodies, keys, limits, faults, shutdown, health checks, the request log; `openapi/` has the document",
    imports: ["engine", "contract", "core"],
  },
  output: {
    contents:
      "all output: `output.ts` is the interface, `formats/` has one file for each format; views, tables, secrets, progress; `prompts/` asks at a terminal",
    imports: ["service", "contract", "core"],
  },
  config: {
    contents: "settings, profiles, target: flag before environment before profile before default",
    imports: ["output", "contract", "core"],
  },
  manifest: {
    contents: "files ↔ desired state; `plan/`: desired state → plan → execution",
    imports: ["service", "contract", "core"],
  },
  probe: {
    contents:
      "the experiments of `sendctl probe`, those in `scratch/` with groups of their own; behaviour files",
    imports: ["contract", "core"],
  },
  testing: {
    contents:
      "the entry point for test suites, `sendctl/testing`: the served engine in the caller's process",
    imports: ["probe", "manifest", "server", "engine", "service", "contract", "core"],
  },
  doctor: {
    contents: "the checks of `sendctl doctor`, one file for each group",
    imports: ["client", "engine", "config", "service", "contract", "core"],
  },
  command: {
    contents:
      "what a command is made of: `define-command.ts`, `capabilities.ts` (what it may use) and `context.ts` (the composition root) with its parts: `target.ts`, `engines.ts`, `local.ts`, `serving.ts`, `config.ts`, `process.ts`; dry run, `lists/` and `records/` on the command line",
    imports: [
      "doctor",
      "probe",
      "manifest",
      "config",
      "output",
      "server",
      "engine",
      "client",
      "service",
      "contract",
      "core",
    ],
  },
  commands: {
    contents: "one folder for each noun, one file for each command or small noun, with its `run`",
    imports: [
      "command",
      "doctor",
      "probe",
      "manifest",
      "config",
      "output",
      "service",
      "contract",
      "core",
    ],
    importsTypesOf: ["server", "engine", "client"],
  },
  cli: {
    contents:
      "argv → command → exit code: `main.ts`, `registry.ts` (the first words), `program/`, `help/`, `completion/`, `menu/`",
    imports: ["commands", "command", "config", "output", "service", "contract", "core"],
  },
};

/**
 * Returns why a file of `src` may not import another; undefined if it may.
 *
 * @param {string} file `src/cli/main.ts`
 * @param {string} imported `src/core/error.ts`
 * @param {boolean} isType whether only types are imported
 */
export function problemOf(file, imported, isType) {
  const [from, to] = [file, imported].map((path) => path.split("/")[1] ?? "");
  const room = rooms[from];
  if (![file, imported].every((path) => path.startsWith("src/"))) return undefined;
  if (from === to || room === undefined) return undefined;
  if (room.imports.includes(to)) return undefined;
  const takesTypes = room.importsTypesOf?.includes(to) === true;
  if (takesTypes && isType) return undefined;
  return `${from} ${takesTypes ? "imports only types of" : "never imports"} ${to}: see test/structure/rooms.mjs`;
}

/** Returns the table of the rooms for CONTRIBUTING.md. */
export function table() {
  const rows = Object.entries(rooms).map(
    ([name, { contents }]) => `| \`src/${name}/\` | ${contents} |`,
  );
  return ["| folder | contents |", "| --- | --- |", ...rows].join("\n");
}

/** Returns the picture of the rooms for CONTRIBUTING.md: an arrow to each imported room, without those that follow. */
export function picture() {
  const reaches = (from, to) =>
    rooms[from].imports.some((next) => next === to || reaches(next, to));
  const arrows = Object.entries(rooms).flatMap(([from, { imports }]) =>
    imports
      .filter((to) => !imports.some((other) => other !== to && reaches(other, to)))
      .map((to) => `  ${from} --> ${to}`),
  );
  return ["```mermaid", "graph TD", ...arrows, "```"].join("\n");
}
