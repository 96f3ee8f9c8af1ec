/** Returns the name of a field as in questions: `Sender ID`, `Send birthday messages`. */
export function fieldQuestion(name: string): string {
  const text = name
    .replaceAll("_", " ")
    .replace(/\bid\b/, "ID")
    .replace(/^(send \w+)$/, "$1 messages");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
