/**
 * The rooms of `src`, which are its folders, from the bottom up, and which others each may import. The linter
 * (oxlint-plugin.mjs), the test of the structure and the picture in CONTRIBUTING.md follow from it.
 *
 * @typedef {object} Room
 * @property {readonly string[]} imports
 * @property {readonly string[]} [importsTypesOf]
 */

/** @type {Readonly<Record<string, Room>>} */
export const rooms = {
  core: { imports: [] },
  contract: { imports: ["core"] },
  service: { imports: ["contract", "core"] },
  client: { imports: ["service", "contract", "core"] },
  engine: { imports: ["contract", "core"] },
  server: { imports: ["engine", "contract", "core"] },
  output: { imports: ["service", "contract", "core"] },
  config: { imports: ["output", "contract", "core"] },
  manifest: { imports: ["service", "contract", "core"] },
  probe: { imports: ["contract", "core"] },
  testing: {
    imports: ["probe", "manifest", "server", "engine", "service", "contract", "core"],
  },
  doctor: { imports: ["client", "engine", "config", "service", "contract", "core"] },
  command: {
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
  cli: { imports: ["commands", "command", "config", "output", "service", "contract", "core"] },
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
