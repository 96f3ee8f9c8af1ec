import type { Command } from "commander";
import type { Action } from "./action.ts";

/** Declares that `sendctl doctor` takes nothing of its own. */
export function declareDoctor(command: Command, action: Action): void {
  command.action(action(async (context) => (await import("./doctor.ts")).doctor(context)));
}
