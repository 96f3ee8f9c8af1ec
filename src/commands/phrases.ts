/** Returns a count with its noun: `1 group`, `3 groups`. */
export function counted(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${count} ${Number(count) === 1 ? noun : plural}`;
}

/** Returns the first names of a list, and counts the others: `Ada, Bob and 3 more`. */
export function firstOf(names: readonly string[], max = 5): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns a text with a capital at the beginning. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
