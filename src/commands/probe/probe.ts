import { defineCommand, flag, text } from "../../command/define-command.ts";
import { contradiction, refuseDryRun } from "../../command/arguments.ts";

export const probe = defineCommand({
  path: "probe",
  changes: "service",
  changesIf: (_, { scratchGroup, clean }) => scratchGroup || clean,
  description:
    "Find out how a service behaves where its specification is silent, compared with the embedded engine. Sends at most 25 GET requests and changes nothing. With --output yaml the result is a behaviour file.",
  options: {
    scratchGroup: flag(
      "--scratch-group",
      "also create groups named sendctl-probe-…, change them, and delete them",
    ),
    clean: flag("--clean", "delete groups left behind by an interrupted probe"),
    save: flag("--save", "store the result in the current profile"),
    check: text("--check <file>", "compare the result with a behaviour file; - is standard input"),
    yes: flag("-y, --yes", "create or delete without confirmation"),
  },
  exitCodes: [
    [0, "the probe ran, whatever it found; with --check, no switch differs"],
    [3, "the service rejected the key"],
    [8, "the service cannot be reached"],
    [12, "with --check, a switch differs from the file"],
  ],
  examples: [
    "sendctl probe",
    "sendctl probe --scratch-group --yes",
    "sendctl probe -o yaml > service.yaml",
    "sendctl probe --check service.yaml",
    "sendctl probe --clean",
  ],
  async run(context, _, options) {
    refuseDryRun(context, "the requests of a probe depend on responses");
    if (!options.clean) {
      const { runProbe } = await import("./run-probe.ts");
      return runProbe(context, options);
    }
    if (options.scratchGroup) throw contradiction("--clean", "--scratch-group");
    if (options.save) throw contradiction("--clean", "--save");
    if (options.check !== undefined) throw contradiction("--clean", "--check");
    const { cleanUp } = await import("./clean-up.ts");
    return cleanUp(context, options.yes);
  },
});
