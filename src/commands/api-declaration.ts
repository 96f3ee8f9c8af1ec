import type { Command } from "commander";
import type { Action } from "./action.ts";
import type { ApiOptions } from "./api.ts";

/** Declares what `sendctl api` takes. */
export function declareApi(command: Command, action: Action): void {
  command
    .argument("[method]", "GET, POST, PUT or DELETE")
    .argument("[path]", "begins with /v1/, percent-encoded, with its query")
    .argument("[-]", "take the body from standard input")
    .option("--body <json>", "the body")
    .option("--body-file <file>", "a file that holds the body, - for standard input")
    .action(
      action(
        async (
          context,
          method: string | undefined,
          path: string | undefined,
          dash: string | undefined,
          options: ApiOptions,
        ) => (await import("./api.ts")).sendRequest(context, { method, path, dash }, options),
      ),
    );
}
