import { defineCommand, variadic } from "../../cli/define-command.ts";
import { groupView } from "../../output/views.ts";
import { areSeveral, recordKey, groupChoice } from "../arguments.ts";
import type { FoundKey } from "../records/group-names.ts";
import { severalOptions } from "../common-options.ts";

export const groupFetch = defineCommand({
  path: "group fetch",
  aliases: ["get", "show"],
  summary: "Show groups",
  description:
    "Show groups by id, uuid or name; several are shown as a list. A number is an id: write name:12 for the group named 12.",
  args: {
    group: variadic("ids, uuids or names; - reads them from standard input", { takes: "group" }),
  },
  options: severalOptions,
  examples: [
    "sendctl group fetch 12",
    "sendctl group fetch Customers --json",
    "sendctl group fetch 12 13 name:14",
  ],
  async run(context, { group }, options) {
    const { service, output } = context;
    const fetch = ({ key: id, expected }: FoundKey) =>
      service["group.fetch"]({ path: { id }, expected });
    if (areSeveral(group, options)) {
      const { fetchSeveral } = await import("../records/fetch-several.ts");
      return fetchSeveral(context, group, options, { ...groupChoice, name: "GROUP", fetch });
    }
    const found = await recordKey(context, group[0], "GROUP", groupChoice);
    return output.record(await fetch(found), groupView, { isNarrated: false });
  },
});
