// Prints an SBOM (CycloneDX): node release/sbom.mjs package|executable
// It has what is installed with the package and what is bundled in it, not the tools that build it. That of an executable
// also has the Node that it includes: the one that runs this.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdout, version as nodeVersion } from "node:process";
import { execa } from "execa";
import { argumentsOf, root } from "./facts.mjs";

const usage = "node release/sbom.mjs package|executable";
const [kind] = argumentsOf(argv, usage, 1);
if (!["package", "executable"].includes(kind)) throw new Error(`usage: ${usage}`);

/** Returns the references (name@version) of the packages whose licences the build collected. */
function bundled() {
  const text = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  const notices = text.split(`\n${"-".repeat(80)}\n\n`);
  return notices.map((notice) => {
    const [, name, version] = /^(\S+) (\S+) \(/.exec(notice) ?? [];
    if (name === undefined) throw new Error(`no package: ${notice.slice(0, 80)}`);
    return `${name}@${version}`;
  });
}

/** Returns the references of the packages that npm installs with sendctl. */
function installed() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages).flatMap(([folder, { dev, name, version }]) =>
    folder === "" || dev ? [] : [`${name ?? folder.replace(/^.*node_modules\//, "")}@${version}`],
  );
}

const args = ["sbom", "--sbom-format", "cyclonedx"];
const { stdout: printed } = await execa("npm", args, { cwd: root });
const sbom = JSON.parse(printed);
const own = sbom.metadata.component;
const refs = new Set([...bundled(), ...(kind === "package" ? installed() : [])]);
const components = sbom.components.flatMap((component) => {
  const ref = component["bom-ref"];
  // npm names a package by its folder, which may be an alias, and marks what is bundled as a tool of the build.
  const name = ref.replace(/@[^@]*$/, "");
  return refs.has(ref) ? [{ ...component, name, properties: [] }] : [];
});
const missing = [...refs].filter((ref) => !components.some((one) => one["bom-ref"] === ref));
if (missing.length > 0) throw new Error(`npm sbom has no ${missing.join(", ")}`);

if (kind === "executable") {
  const version = nodeVersion.slice(1);
  const ref = `node@${version}`;
  const purl = `pkg:github/nodejs/node@${nodeVersion}`;
  components.push({ "bom-ref": ref, type: "platform", name: "node", version, purl });
  refs.add(ref);
}

const dependencies = sbom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
const component = { ...own, type: "application", name: "sendctl" };
const result = {
  ...sbom,
  metadata: { ...sbom.metadata, component },
  components,
  dependencies: [{ ref: own["bom-ref"], dependsOn: [...refs] }, ...dependencies],
};
stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
