import { defineCommand, variadic } from "../../cli/define-command.ts";
import type { Service } from "../../contract/service.ts";
import { textOf } from "../../output/views.ts";
import { groupChoice } from "../arguments.ts";
import { deleteOptions, severalOptions } from "../common-options.ts";
import { confirmedDelete } from "../records/confirm-delete.ts";
import type { DeletableKind } from "../records/delete-several.ts";

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
    return confirmedDelete(context, group, deletableGroup(context.service), options);
  },
});

/** Returns how groups of a service are deleted. */
export function deletableGroup(service: Service): DeletableKind {
  return {
    ...groupChoice,
    name: "GROUP",
    fetch: ({ key: id, expected }) => service["group.fetch"]({ path: { id }, expected }),
    delete: ({ key: id, expected }) => service["group.delete"]({ path: { id }, expected }),
    describe: (id, record) => `group ${id} (${textOf(record["name"])})`,
    consequence: (count) => ` and ${count === 1 ? "its" : "their"} contacts`,
  };
}
