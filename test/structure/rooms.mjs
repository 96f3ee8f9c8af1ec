/**
 * The rooms of `src`, which are its folders, from the bottom up: which others each may import, and how many lines it may
 * have. The linter (oxlint-plugin.mjs), the test of the structure and the picture in CONTRIBUTING.md follow from it. A change
 * that needs more lines raises the number in the same commit, and says why.
 *
 * @typedef {object} Room
 * @property {number} lines
 * @property {readonly string[]} imports
 * @property {readonly string[]} [importsTypesOf]
 */

/** @type {Readonly<Record<string, Room>>} */
export const rooms = {
  core: { lines: 2935, imports: [] },
  contract: { lines: 1050, imports: ["core"] },
  service: { lines: 750, imports: ["contract", "core"] },
  client: { lines: 3260, imports: ["service", "contract", "core"] },
  engine: { lines: 6560, imports: ["contract", "core"] },
  server: { lines: 3390, imports: ["engine", "contract", "core"] },
  output: { lines: 3150, imports: ["service", "contract", "core"] },
  config: { lines: 1725, imports: ["output", "contract", "core"] },
  manifest: { lines: 1900, imports: ["service", "contract", "core"] },
  probe: { lines: 960, imports: ["contract", "core"] },
  testing: {
    lines: 610,
    imports: ["probe", "manifest", "server", "engine", "service", "contract", "core"],
  },
  doctor: { lines: 510, imports: ["client", "engine", "config", "service", "contract", "core"] },
  command: {
    lines: 3800,
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
    lines: 7535,
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
    lines: 2300,
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
