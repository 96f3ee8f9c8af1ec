import { nodeVersion } from "../runtime/runtime.ts";
import { fault, faultOf, fine, warning } from "./check.ts";
import type { Check } from "./with-timeout.ts";

/** The oldest Node that is supported, as package.json has it. */
const oldest = [20, 19] as const;

export const machineChecks: readonly Check[] = [
  {
    name: "node",
    look: () => {
      const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
      const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
      if (!isOld) return [fine("node", nodeVersion)];
      const fix = `install Node ${oldest.join(".")} or later`;
      return [fault("node", `${nodeVersion} is too old`, fix, "usage")];
    },
  },
  {
    name: "addon",
    look: async ({ settings }) => {
      const { addonProblem } = await import("../engine/sqlite/maintenance/examine.ts");
      const problem = addonProblem();
      if (problem === undefined) return [fine("addon", "better-sqlite3 loads")];
      const isUsed = settings.baseUrl === undefined && settings.databaseUrl === undefined;
      if (!isUsed) return [warning("addon", problem.message, problem.hint ?? null)];
      return [faultOf("addon", problem)];
    },
  },
];
