import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand } from "../../../cli/define-command.ts";
import type { PartialBehaviour } from "../../../contract/behaviour.ts";
import { doneReply } from "../../../output/replies.ts";
import { databaseView, notCreated } from "./views.ts";

export const localInfo = defineCommand({
  path: "local info",
  summary: "Show the database location and record counts",
  description:
    "Show the location, size and record counts of the embedded database. Never creates a database.",
  examples: ["sendctl local info", "sendctl local info --json"],
  async run(context) {
    const info = await (await context.local.database("read")).info();
    const message = info.exists ? "Database retrieved" : notCreated;
    const behaviour = await changedBehaviour(context);
    const data = behaviour === undefined ? info : { ...info, behaviour };
    return context.output.record(doneReply(message, data), databaseView);
  },
});

/** Returns the switches that differ from the engine's own rulings; undefined if none does. */
async function changedBehaviour({ config }: Capabilities): Promise<PartialBehaviour | undefined> {
  const { settings } = config;
  // With a base URL, the behaviour of the profile is that of the remote service.
  if (settings.baseUrl !== undefined || settings.behaviour === undefined) return undefined;
  const given = await config.behaviourOf(settings);
  const { changedSwitches } = await import("../../../contract/behaviour.ts");
  const changed = changedSwitches(given);
  return Object.keys(changed).length === 0 ? undefined : changed;
}
