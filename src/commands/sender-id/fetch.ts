import { defineCommand, variadic } from "../../cli/define-command.ts";
import { senderIdView } from "../../output/views.ts";
import { areSeveral, recordKey, senderIdChoice } from "../arguments.ts";
import type { FoundKey } from "../records/group-names.ts";
import { severalOptions } from "../common-options.ts";

export const senderIdFetch = defineCommand({
  path: "sender-id fetch",
  aliases: ["get", "show"],
  summary: "Show sender IDs",
  description: "Show sender IDs by name; several are shown as a list.",
  args: { name: variadic("names; - reads them from standard input", { takes: "sender-id" }) },
  options: severalOptions,
  examples: [
    "sendctl sender-id fetch ACME",
    "sendctl sender-id fetch ACME Bakery --json",
    "sendctl sender-id fetch -- -odd-name",
  ],
  async run(context, { name }, options) {
    const { service, output } = context;
    const fetch = ({ key }: FoundKey) => service["sender-id.fetch"]({ path: { name: key } });
    if (areSeveral(name, options)) {
      const { fetchSeveral } = await import("../records/fetch-several.ts");
      return fetchSeveral(context, name, options, { ...senderIdChoice, name: "NAME", fetch });
    }
    const found = await recordKey(context, name[0], "NAME", senderIdChoice);
    return output.record(await fetch(found), senderIdView, { isNarrated: false });
  },
});
