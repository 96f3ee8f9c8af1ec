import { defineCommand, variadic } from "../../cli/define-command.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { textOf } from "../../output/views.ts";
import { groupChoice } from "../arguments.ts";
import type { FoundKey } from "../records/group-names.ts";
import { deleteOptions, severalOptions } from "../common-options.ts";
import { confirmedDelete } from "../records/confirm-delete.ts";

export const groupDelete = defineCommand({
  path: "group delete",
  aliases: ["rm"],
  summary: "Delete groups",
  description:
    "Delete groups and their contacts. Several groups need one confirmation. If some cannot be deleted, the others still are, and the exit code is that of the first failure.",
  args: {
    group: variadic("ids, uuids or names; - reads them from standard input", { takes: "group" }),
  },
  options: { ...deleteOptions, ...severalOptions },
  examples: [
    "sendctl group delete 12",
    "sendctl group delete 12 Customers --yes",
    "sendctl group delete - --yes",
  ],
  async run(context, { group }, options) {
    const { service } = context;
    const kind = {
      ...groupChoice,
      name: "GROUP",
      fetch: ({ key: id, expected }: FoundKey) =>
        service["group.fetch"]({ path: { id }, expected }),
      delete: ({ key: id, expected }: FoundKey) =>
        service["group.delete"]({ path: { id }, expected }),
      describe: (id: string, record: ShownRecord) => `group ${id} (${textOf(record["name"])})`,
      consequence: (count: number) => ` and ${count === 1 ? "its" : "their"} contacts`,
    };
    return confirmedDelete(context, group, kind, options);
  },
});
