import type { Prompter } from "../../prompts/prompter.ts";
import { placeholderWarning } from "./birthday-message.ts";

/**
 * Asks for a birthday message, and again if it has an unknown placeholder.
 *
 * @param label the name of the field
 * @param current the message to edit
 */
export async function askForMessage(
  prompter: Prompter,
  label: string,
  current: string,
): Promise<string> {
  let text = current;
  for (;;) {
    text = await prompter.edit(`${label}, with {first_name} for the name (empty for none)`, text);
    const warning = placeholderWarning(text);
    if (warning === undefined) return text;
    const choices = [
      { value: "again", name: "Edit the message" },
      { value: "keep", name: "Use this message" },
    ];
    const question = `${warning.charAt(0).toUpperCase()}${warning.slice(1)}`;
    if ((await prompter.select(question, choices)) === "keep") return text;
  }
}
