import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

/** Every file of src, and the files of src that it imports: types and dynamic imports included. */
const imports = new Map(
  readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const found = readFileSync(file, "utf8").matchAll(/\b(?:from|import)\b[\s(]*"(\.[^"]+)"/g);
      return [file, [...found].map(([, path]) => normalize(join(dirname(file), path!)))] as const;
    }),
);

function roomOf(file: string): string {
  return file.split("/")[1]!;
}

/** The files on the way from a file back to itself, if there is one. */
function cycleThrough(start: string): readonly string[] | undefined {
  const ways = new Map<string, readonly string[]>([[start, [start]]]);
  for (const [file, way] of ways) {
    for (const next of imports.get(file) ?? []) {
      if (next === start) return way;
      if (!ways.has(next)) ways.set(next, [...way, next]);
    }
  }
  return undefined;
}

/** What each room may import, besides itself; `cli` may import every room. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  runtime: ["contract"],
  engine: ["contract"],
  // The limits of texts, by their rulings.
  openapi: ["contract", "engine"],
  remote: ["contract"],
  server: ["contract"],
  manifest: ["contract"],
  plan: ["contract", "manifest"],
  output: ["contract", "runtime"],
  // The names of the formats, which a setting chooses from.
  config: ["contract", "runtime", "output"],
  prompts: ["contract", "runtime", "output"],
  "request-log": ["contract", "output"],
  service: ["contract", "config", "output", "remote"],
  doctor: ["contract", "config", "engine", "output", "remote", "runtime"],
  commands: [
    "contract",
    "config",
    "doctor",
    "manifest",
    "openapi",
    "output",
    "plan",
    "prompts",
    "request-log",
    "runtime",
    "service",
    "cli",
  ],
};

describe("src", () => {
  test("was read", () => {
    expect(imports.size).toBeGreaterThan(200);
    expect([...imports.values()].flat().filter((file) => !imports.has(file))).toStrictEqual([
      normalize("package.json"),
    ]);
  });

  test("has no import cycle, of types either", () => {
    expect([...imports.keys()].flatMap((file) => cycleThrough(file) ?? [])).toStrictEqual([]);
  });

  test("has no folder with more than 16 entries, and no loose file", () => {
    const folders = ["src", ...new Set([...imports.keys()].map((file) => dirname(file)))];
    const large = folders.filter((folder) => readdirSync(folder).length > 16);
    expect(large).toStrictEqual([]);
    const loose = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(loose.map(({ name }) => name)).toStrictEqual([]);
  });

  test("imports one way, from room to room", () => {
    const rooms = new Set([...imports.keys()].map(roomOf));
    expect([...Object.keys(allowed), "cli"].toSorted()).toStrictEqual([...rooms].toSorted());
    const wrong = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => imports.has(target))
        .filter((target) => roomOf(file) !== "cli" && roomOf(target) !== roomOf(file))
        .filter((target) => !allowed[roomOf(file)]!.includes(roomOf(target)))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toStrictEqual([]);
  });

  test("commands import of src/cli only what defines them and what they may use", () => {
    const imported = [...imports]
      .filter(([file]) => roomOf(file) === "commands")
      .flatMap(([, targets]) => targets.filter((target) => roomOf(target) === "cli"));
    expect([...new Set(imported)].toSorted()).toStrictEqual([
      "src/cli/capabilities.ts",
      "src/cli/define-command.ts",
    ]);
  });

  test("tests the output format in src/output alone", () => {
    const tests = [...imports.keys()]
      .filter((file) => roomOf(file) !== "output")
      .flatMap((file) => {
        const lines = readFileSync(file, "utf8").split("\n");
        return lines
          .filter((line) => /settings\.format|\bformat\s*[!=]==?\s*["'`]/.test(line))
          .map((line) => `${file}: ${line.trim()}`);
      });
    expect(tests).toStrictEqual([
      // Hands it to src/output.
      "src/cli/context.ts: const output = createOutput(settings.format, settings.quiet, {",
      // Shows it.
      "src/commands/profile/show.ts: output: { value: settings.format, from: sources.output },",
    ]);
  });
});
