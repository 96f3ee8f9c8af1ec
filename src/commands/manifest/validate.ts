import { refuseDryRun } from "../../command/arguments.ts";
import { defineCommand } from "../../command/define-command.ts";
import type { Field } from "../../contract/resources.ts";
import { countedErrors, diagnosticText } from "../../core/error.ts";
import { counted } from "../../core/text.ts";
import { exitCodes } from "../../output/exit-codes.ts";
import { carrierWarning, messageWarning } from "../sms.ts";
import { givenFiles, manifestFiles, planOptions } from "./desired-state.ts";

/** Returns the warning about a sender ID's name (ruling 5) or a birthday message (ruling 8). */
function warning({ ruling }: Field, text: string): string | undefined {
  if (ruling === 8) return messageWarning(text);
  return ruling === 5 ? carrierWarning(text) : undefined;
}

export const validate = defineCommand({
  path: "validate",
  description:
    "Report every error of a manifest with its file, line and column, also what the embedded engine would refuse, and warn of names that carriers may refuse and of unknown placeholders. Needs neither a service nor a key. Several files form one manifest, as in apply.",
  args: { manifests: manifestFiles },
  options: { file: planOptions.file, envPrefix: planOptions.envPrefix },
  exitCodes: [[2, "the manifest has errors"]],
  examples: ["sendctl validate sendctl.yaml", "sendctl validate manifests --json"],
  async run(context, { manifests }, options) {
    const { input, output } = context;
    refuseDryRun(context);
    const files = await givenFiles(context, manifests, options);
    output.supports("a list of errors", ["table", "json", "yaml"]);
    const read = await input.manifest(files, options.envPrefix, { isStrict: true, warning });
    if ("diagnostics" in read) {
      const { diagnostics } = read;
      const message = `the manifest has ${countedErrors(diagnostics)}`;
      const text = diagnostics.map((diagnostic) => `${diagnosticText(diagnostic)}\n`).join("");
      await output.report({ message, data: { diagnostics }, text, error: { kind: "usage" } });
      await output.printError(message);
      return exitCodes.usage;
    }
    const { warnings, manifest } = read;
    const { senderIds = [], groups = [] } = manifest;
    const message = `No errors: ${counted(senderIds.length, "sender ID")}, ${counted(groups.length, "group")}`;
    const found = warnings.length > 0 ? { warnings } : {};
    await output.report({ message, data: { diagnostics: [], ...found } });
    for (const each of warnings) await output.warn(diagnosticText(each));
    await output.say(message);
    return exitCodes.done;
  },
});
