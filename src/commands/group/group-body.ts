import { groupFields, namesOf } from "../../contract/resources.ts";
import type { GroupChanges, GroupFields } from "../../contract/service.ts";

/** Options as commander parses them: `--send-birthday` is `sendBirthday`. */
type Options = Readonly<Record<string, string | boolean | undefined>>;

/** Returns the body of a create: the name and the fields set by options. */
export function createBody(name: string, options: Options): GroupFields {
  return { name, ...givenFields("create", options) };
}

/** Returns the body of an update. An empty text does not clear a field: it is sent, and the service rejects it. */
export function updateBody(options: Options): GroupChanges {
  return givenFields("update", options);
}

/** Returns the fields that options set, or clear with `--clear-` and the name of the field. */
function givenFields(by: "create" | "update", options: Options): GroupChanges {
  const values = namesOf(groupFields, (field) => field[by] !== undefined).map((name) => {
    const isCleared = options[optionKey(`clear_${name}`)] === true;
    return [name, isCleared ? null : options[optionKey(name)]] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Returns the text of the field that an option sets, if any. @param option such as `birthdayMessage` */
export function textOfOption(body: GroupChanges, option: string): string | undefined {
  const value: unknown = Object.entries(body).find(([name]) => optionKey(name) === option)?.[1];
  return typeof value === "string" ? value : undefined;
}

function optionKey(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
