import { groupFields, namesOf } from "../../contract/resources.ts";
import type { GroupChanges, GroupFields } from "../../contract/service.ts";

/** Options as commander reads them: `--send-birthday` is `sendBirthday`. */
type Options = Readonly<Record<string, string | boolean | undefined>>;

/** Returns the body of a create: the name, and the fields that options set. */
export function createBody(name: string, options: Options): GroupFields {
  return { name, ...givenFields("create", options) };
}

/** Returns the body of an update. An empty text does not clear a field: it is sent as it is, and refused. */
export function updateBody(options: Options): GroupChanges {
  return givenFields("update", options);
}

/** Each field is set by the option of its name, and cleared by `--clear-` before that. */
function givenFields(by: "create" | "update", options: Options): GroupChanges {
  const values = namesOf(groupFields, (field) => field[by] !== undefined).map((name) => {
    const isCleared = options[optionKey(`clear_${name}`)] === true;
    return [name, isCleared ? null : options[optionKey(name)]] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Returns the text of the field that an option of a name sets: `birthdayMessage`. */
export function textOfOption(body: GroupChanges, option: string): string | undefined {
  const value: unknown = Object.entries(body).find(([name]) => optionKey(name) === option)?.[1];
  return typeof value === "string" ? value : undefined;
}

function optionKey(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
