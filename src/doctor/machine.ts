import { nodeVersion } from "../runtime/runtime.ts";
import { failed, failedWith, ok, warning } from "./check-result.ts";
import type { Check } from "./check.ts";

/** The oldest supported version of Node, as in package.json. */
const minVersion = [20, 19] as const;

export const machineChecks: readonly Check[] = [
  {
    name: "node",
    run: () => {
      const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
      const isOld = major < minVersion[0] || (major === minVersion[0] && minor < minVersion[1]);
      if (!isOld) return [ok("node", nodeVersion)];
      const fix = `install Node ${minVersion.join(".")} or later`;
      return [failed("node", `${nodeVersion} is too old`, fix, "usage")];
    },
  },
  {
    name: "addon",
    run: async ({ settings }) => {
      const { addonProblem, isAddonIncluded } =
        await import("../engine/sqlite/maintenance/examine.ts");
      const problem = addonProblem();
      const loads = isAddonIncluded
        ? "better-sqlite3 is included and loads"
        : "better-sqlite3 loads";
      if (problem === undefined) return [ok("addon", loads)];
      const isUsed = settings.baseUrl === undefined && settings.databaseUrl === undefined;
      if (!isUsed) return [warning("addon", problem.message, problem.hint ?? null)];
      return [failedWith("addon", problem)];
    },
  },
];
