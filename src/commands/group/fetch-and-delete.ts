import {
  areSeveral,
  deleteOptions,
  ignoreNotFound,
  severalOptions,
} from "../../command/arguments.ts";
import { defineCommand, variadic } from "../../command/define-command.ts";
import { confirmedDelete } from "../../command/records/confirm-delete.ts";
import {
  type DeletableKind,
  fetchToShow,
  groupChoice,
  recordKey,
} from "../../command/records/single.ts";
import type { Service } from "../../contract/service.ts";
import { counted } from "../../core/text.ts";
import { groupView, textOf } from "../../output/views.ts";

/** Returns how groups of a service are fetched and deleted. */
export function groupKind(service: Service): DeletableKind {
  return {
    ...groupChoice,
    name: "GROUP",
    fetch: ({ key: id, expected }) => service["group.fetch"]({ path: { id }, expected }),
    delete: ({ key: id, expected }) => service["group.delete"]({ path: { id }, expected }),
    describe: (key, { id = key, name, contacts_count: contacts }) => {
      const count = Number(contacts) > 0 ? `, ${counted(Number(contacts), "contact")}` : "";
      return `group ${textOf(id)} (${textOf(name)}${count})`;
    },
    consequence: (count) => ` and ${count === 1 ? "its" : "their"} contacts`,
  };
}

export const groupFetch = defineCommand({
  path: "group fetch",
  aliases: ["get", "show", "view"],
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
    const kind = groupKind(context.service);
    if (areSeveral(group, options)) {
      const { fetchSeveral } = await import("../../command/records/several.ts");
      return fetchSeveral(context, group, options, kind);
    }
    const found = await recordKey(context, group[0], kind.name, kind);
    const reply = await fetchToShow(context, found, kind);
    return context.output.record(reply, groupView, { isNarrated: false });
  },
});

export const groupDelete = defineCommand({
  path: "group delete",
  changes: "service",
  aliases: ["rm", "remove"],
  summary: "Delete groups",
  description:
    "Delete groups and their contacts. One confirmation covers several groups. If some cannot be deleted, the others still are, and the exit code is that of the first failure.",
  args: {
    group: variadic("ids, uuids or names; - reads them from standard input", { takes: "group" }),
  },
  options: { ...deleteOptions, ignoreNotFound, ...severalOptions },
  examples: [
    "sendctl group delete 12",
    "sendctl group delete 12 Customers --yes",
    "sendctl group delete - --yes",
  ],
  async run(context, { group }, options) {
    return confirmedDelete(context, group, groupKind(context.service), options);
  },
});
