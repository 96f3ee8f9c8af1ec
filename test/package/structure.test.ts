import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

/** Every file of src with the files that it imports, including types and dynamic imports. */
const imports = new Map(
  readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const found = readFileSync(file, "utf8").matchAll(/\b(?:from|import)\b[\s(]*"(\.[^"]+)"/g);
      return [file, [...found].map(([, path]) => normalize(join(dirname(file), path!)))] as const;
    }),
);

function folderOf(file: string): string {
  return file.split("/")[1]!;
}

/** Returns the files of an import cycle through a file, if there is one. */
function cycleThrough(start: string): readonly string[] | undefined {
  const paths = new Map<string, readonly string[]>([[start, [start]]]);
  for (const [file, path] of paths) {
    for (const next of imports.get(file) ?? []) {
      if (next === start) return path;
      if (!paths.has(next)) paths.set(next, [...path, next]);
    }
  }
  return undefined;
}

/** The folders that each folder may import, besides itself; `cli` may import all. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  runtime: ["contract"],
  engine: ["contract", "runtime"],
  // The limits of texts, by their rulings.
  openapi: ["contract", "engine"],
  metrics: ["contract"],
  remote: ["contract"],
  server: ["contract"],
  yaml: ["contract"],
  manifest: ["contract", "runtime", "yaml"],
  behaviour: ["contract", "runtime", "yaml"],
  plan: ["contract", "manifest"],
  output: ["contract", "runtime"],
  // For the names of the formats.
  config: ["contract", "behaviour", "runtime", "output"],
  prompts: ["contract", "runtime", "output"],
  "request-log": ["contract", "output"],
  service: ["contract", "config", "output", "remote"],
  probe: ["contract"],
  doctor: ["contract", "config", "engine", "output", "remote", "runtime"],
  commands: [
    "contract",
    "behaviour",
    "config",
    "doctor",
    "manifest",
    "openapi",
    "output",
    "plan",
    "probe",
    "prompts",
    "request-log",
    "runtime",
    "service",
    "cli",
  ],
};

describe("src", () => {
  test("has files and imports to check", () => {
    expect(imports.size).toBeGreaterThan(200);
    const others = [...imports.values()].flat().filter((file) => !imports.has(file));
    expect([...new Set(others)]).toStrictEqual([normalize("package.json")]);
  });

  test("has no import cycle, including types", () => {
    expect([...imports.keys()].flatMap((file) => cycleThrough(file) ?? [])).toStrictEqual([]);
  });

  test("has at most 20 folders, 16 entries in each, and no file outside of a folder", () => {
    expect(readdirSync("src").length).toBeLessThanOrEqual(20);
    const folders = [...new Set([...imports.keys()].map((file) => dirname(file)))];
    const large = folders.filter((folder) => readdirSync(folder).length > 16);
    expect(large).toStrictEqual([]);
    const loose = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(loose.map(({ name }) => name)).toStrictEqual([]);
  });

  test("imports in one direction between folders", () => {
    const folderNames = new Set([...imports.keys()].map(folderOf));
    expect([...Object.keys(allowed), "cli"].toSorted()).toStrictEqual([...folderNames].toSorted());
    const wrong = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => imports.has(target))
        .filter((target) => folderOf(file) !== "cli" && folderOf(target) !== folderOf(file))
        .filter((target) => !allowed[folderOf(file)]!.includes(folderOf(target)))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toStrictEqual([]);
  });

  test("imports only define-command.ts and capabilities.ts of src/cli in commands", () => {
    const imported = [...imports]
      .filter(([file]) => folderOf(file) === "commands")
      .flatMap(([, targets]) => targets.filter((target) => folderOf(target) === "cli"));
    expect([...new Set(imported)].toSorted()).toStrictEqual([
      "src/cli/capabilities.ts",
      "src/cli/define-command.ts",
    ]);
  });
});
