import type { Command } from "commander";
import type { Action } from "../action.ts";
import { examples } from "../declare.ts";

/** Declares what follows `sendctl schema`. */
export function declareSchema(noun: Command, action: Action): void {
  examples(
    noun
      .command("manifest")
      .summary("Print the schema of manifests")
      .description(
        "Print the JSON Schema of manifests, as `sendctl apply` reads them: for editors, which check and complete a manifest by it.",
      )
      .action(
        action(async (context) => (await import("./schema.ts")).printManifestSchema(context)),
      ),
    ["sendctl schema manifest", "sendctl schema manifest > sendctl.schema.json"],
  );
}
