import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { picture, problemOf, rooms } from "./rooms.mjs";

interface Import {
  readonly target: string;
  readonly isType: boolean;
}

/** Every file of src with the files that it imports, including types and dynamic imports. */
const imports = new Map(
  readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const found = readFileSync(file, "utf8").matchAll(
        /\b(?:import( type)?[^;"]*? from |from |import[\s(]*)"(\.[^"]+)"/g,
      );
      const targets = [...found].map(([, type, path]): Import => ({
        target: normalize(join(dirname(file), path!)),
        isType: type !== undefined,
      }));
      return [file, targets] as const;
    }),
);

/** Returns the files of an import cycle through a file, if there is one. */
function cycleThrough(start: string): readonly string[] | undefined {
  const paths = new Map<string, readonly string[]>([[start, [start]]]);
  for (const [file, path] of paths) {
    for (const { target: next } of imports.get(file) ?? []) {
      if (next === start) return path;
      if (!paths.has(next)) paths.set(next, [...path, next]);
    }
  }
  return undefined;
}

describe("src", () => {
  test("has files and imports to check", () => {
    expect(imports.size).toBeGreaterThan(200);
    const targets = [...imports.values()].flat().map(({ target }) => target);
    const others = targets.filter((target) => !imports.has(target) && !target.endsWith("?raw"));
    expect([...new Set(others)]).toStrictEqual([normalize("package.json")]);
  });

  test("has no import cycle, including types", () => {
    expect([...imports.keys()].flatMap((file) => cycleThrough(file) ?? [])).toStrictEqual([]);
  });

  test("has the rooms of rooms.mjs, at most 16 entries in a folder, and no file outside", () => {
    expect(readdirSync("src").toSorted()).toStrictEqual(Object.keys(rooms).toSorted());
    const folders = [...new Set([...imports.keys()].map((file) => dirname(file)))];
    expect(folders.filter((folder) => readdirSync(folder).length > 16)).toStrictEqual([]);
  });

  test.each(Object.entries(rooms))(
    "has a room %s within its budget of lines",
    (room, { lines }) => {
      const files = [...imports.keys()].filter((file) => file.startsWith(`src/${room}/`));
      const counts = files.map((file) => readFileSync(file, "utf8").split("\n").length - 1);
      const count = counts.reduce((sum, one) => sum + one, 0);
      // A larger budget than needed would let a room grow unnoticed.
      expect(count).toBeGreaterThan(lines - 150);
      expect(count).toBeLessThanOrEqual(lines);
    },
  );

  test("imports in the order of the rooms", () => {
    const wrong = [...imports].flatMap(([file, targets]) =>
      targets.flatMap(({ target, isType }) => problemOf(file, target, isType) ?? []),
    );
    expect(wrong).toStrictEqual([]);
  });
});

describe("the order of the rooms", () => {
  test("lets no room import one that imports it", () => {
    const names = Object.keys(rooms);
    const upwards = Object.entries(rooms).flatMap(([name, { imports: targets }]) =>
      targets.filter((target) => names.indexOf(target) >= names.indexOf(name)),
    );
    expect(upwards).toStrictEqual([]);
  });

  test.each([
    ["src/core/error.ts", "src/contract/service.ts", true, "core never imports contract"],
    [
      "src/commands/api/api.ts",
      "src/server/serve.ts",
      false,
      "commands imports only types of server",
    ],
    ["src/commands/api/api.ts", "src/server/serve.ts", true, undefined],
    ["src/cli/main.ts", "src/core/error.ts", false, undefined],
    ["src/cli/main.ts", "package.json", false, undefined],
  ])("%s → %s (type: %s)", (file, target, isType, problem) => {
    const found = problemOf(file, target, isType);
    expect(found?.split(": see ")[0]).toBe(problem);
  });
});

test("CONTRIBUTING.md describes every room, and has their picture", () => {
  const text = readFileSync("CONTRIBUTING.md", "utf8");
  const described = [...text.matchAll(/^\| `src\/(\w+)\/` +\| \S/gm)].map(([, name]) => name);
  expect(described).toStrictEqual(Object.keys(rooms));
  expect(text).toContain(picture());
});
