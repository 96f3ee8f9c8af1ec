import type { Command } from "commander";
import type { Action } from "../action.ts";
import type { ServeOptions } from "./serve.ts";
import { serviceOptions } from "./service-options-declaration.ts";

/** Declares what `sendctl serve` takes. */
export function declareServe(command: Command, action: Action): void {
  serviceOptions(
    command
      .option("--host <address>", "where to listen", "127.0.0.1")
      .option("--port <n>", "the port, 0 for any that is free", "4010"),
  ).action(
    action(async (context, options: ServeOptions) =>
      (await import("./serve.ts")).serve(context, options),
    ),
  );
}
