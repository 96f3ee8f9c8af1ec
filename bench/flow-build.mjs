/** Builds sendctl without bundling, so that it reports which of its files run. */
import { symlinkSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { rolldown } from "rolldown";
import { parseSync, Visitor } from "rolldown/utils";

const root = resolve(import.meta.dirname, "..");

/** Returns TypeScript in which every function begins with a call of `ran` that reports the file. */
function reporting(file, code) {
  const call = `ran(${JSON.stringify(file)})`;
  const insertions = [];
  const report = ({ body }) => {
    // Overloads have none.
    if (!body) return;
    if (body.type === "BlockStatement") insertions.push([body.start + 1, `${call};`]);
    else insertions.push([body.start, `(${call},`], [body.end, ")"]);
  };
  new Visitor({
    FunctionDeclaration: report,
    FunctionExpression: report,
    ArrowFunctionExpression: report,
  }).visit(parseSync(file, code).program);
  const starts = insertions.toSorted(([one], [other]) => one - other);
  const parts = starts.map(
    ([at, text], index) => text + code.slice(at, starts[index + 1]?.[0] ?? code.length),
  );
  return code.slice(0, starts[0]?.[0] ?? code.length) + parts.join("");
}

const reports = {
  name: "reports",
  transform(code, id) {
    const file = relative(root, id).replaceAll(sep, "/");
    return file.startsWith("src/") ? reporting(file, code) : undefined;
  },
};

/**
 * Builds the program into a folder: a module for each source file, and installed packages where they are.
 *
 * @returns the path of the main module
 */
export async function buildReporting(folder) {
  const bundle = await rolldown({
    cwd: root,
    input: "./src/cli/main.ts",
    platform: "node",
    external: /^[^./\0]/,
    plugins: [reports],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "cjs",
    preserveModules: true,
    preserveModulesRoot: root,
  });
  await bundle.close();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return join(folder, output.find(({ isEntry }) => isEntry).fileName);
}
