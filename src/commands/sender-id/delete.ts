import { defineCommand, variadic } from "../../cli/define-command.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { textOf } from "../../output/views.ts";
import { senderIdChoice } from "../arguments.ts";
import type { FoundKey } from "../records/group-names.ts";
import { deleteOptions, severalOptions } from "../common-options.ts";
import { confirmedDelete } from "../records/confirm-delete.ts";

export const senderIdDelete = defineCommand({
  path: "sender-id delete",
  aliases: ["rm"],
  summary: "Delete sender IDs",
  description:
    "Delete sender IDs. Groups that use them lose their sender ID. Several sender IDs need one confirmation. If some cannot be deleted, the others still are, and the exit code is that of the first failure.",
  args: { name: variadic("names; - reads them from standard input", { takes: "sender-id" }) },
  options: { ...deleteOptions, ...severalOptions },
  examples: [
    "sendctl sender-id delete ACME",
    "sendctl sender-id delete ACME Bakery --yes",
    "sendctl sender-id delete - --yes",
  ],
  async run(context, { name }, options) {
    const { service } = context;
    const kind = {
      ...senderIdChoice,
      name: "NAME",
      fetch: ({ key }: FoundKey) => service["sender-id.fetch"]({ path: { name: key } }),
      delete: ({ key, expected }: FoundKey) =>
        service["sender-id.delete"]({ path: { name: key }, expected }),
      describe: (key: string, record: ShownRecord) =>
        `sender ID ${key} (${textOf(record["status"])})`,
      consequence: () => "",
    };
    return confirmedDelete(context, name, kind, options);
  },
});
