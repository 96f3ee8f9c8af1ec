import { defineCommand } from "../../../cli/define-command.ts";
import { check } from "./database.ts";

export const localCheck = defineCommand({
  path: "local check",
  summary: "Check the integrity of the database",
  description:
    "Check the integrity of the embedded database: its schema, pages, indexes, references, totals and clock. Other processes may write meanwhile; nothing is changed.",
  examples: ["sendctl local check"],
  async run(context) {
    return check(context);
  },
});
