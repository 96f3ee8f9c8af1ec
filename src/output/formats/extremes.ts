import jmespath from "jmespath";

/** What replaces a function that the library computes for numbers only, and the item of its result. */
const replacements: Readonly<Record<string, readonly [name: string, item: string]>> = {
  max_by: ["sort_by", "[-1]"],
  min_by: ["sort_by", "[0]"],
};

/**
 * Returns a JMESPath expression with `sort_by` in place of `max_by` and `min_by`, which find nothing where the key is a
 * text.
 *
 * @param expression a valid expression
 */
export function withoutExtremes(expression: string): string {
  if (!/\b(?:max|min)_by\b/.test(expression)) return expression;
  const tokens = jmespath.tokenize(expression);
  /** The texts to add after each open parenthesis is closed. */
  const open: string[] = [];
  const edits: { at: number; length: number; text: string }[] = [];
  for (const [index, { type, start }] of tokens.entries()) {
    if (type === "Lparen") {
      const called = tokens[index - 1];
      const name = called?.type === "UnquotedIdentifier" ? String(called.value) : "";
      const [replacement, item] = replacements[name] ?? [name, ""];
      if (item !== "") edits.push({ at: called!.start, length: name.length, text: replacement });
      open.push(item);
    } else if (type === "Rparen") {
      edits.push({ at: start + 1, length: 0, text: open.pop()! });
    }
  }
  return edits.reduceRight(
    (text, edit) => text.slice(0, edit.at) + edit.text + text.slice(edit.at + edit.length),
    expression,
  );
}
