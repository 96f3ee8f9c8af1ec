import { contactColumns, type ContactLine } from "../../../contract/contacts.ts";
import { counted, cut } from "../../../core/text.ts";
import { refused, type ContactFile, type Given } from "./contact-file.ts";

/** Limit of a line in characters. Pictures may be one line. */
const maxLine = 16 * 1024 * 1024;

/** Properties that are read. The others, such as pictures, are passed over. */
const used = new Set(["BEGIN", "END", "VERSION", "N", "FN", "TEL", "BDAY"]);

/** A property of a card: RFC 2426 and RFC 6350. */
interface Property {
  readonly name: string;
  /** In lower case: `type=cell`. */
  readonly parameters: string;
  readonly value: string;
}

/**
 * Reads vCard 3.0 (RFC 2426) and 4.0 (RFC 6350), as phones and address books export it.
 *
 * @throws SendctlError "usage" with `--column`, and for another version or a broken file while the cards are read
 */
export function readCards(
  texts: AsyncIterable<string>,
  { name, columns, command }: Given,
): ContactFile {
  if (columns.length > 0) {
    throw refused("--column", "does not apply to vCard", `omit it: ${command}`);
  }
  return {
    columns: contactColumns,
    ignored: [],
    header: contactColumns,
    beginning: "",
    delimiter: ",",
    lines: cardsOf(texts, name),
    noun: "card",
  };
}

/** Yields the cards with the line that each begins on. */
async function* cardsOf(
  texts: AsyncIterable<string>,
  name: string,
): AsyncGenerator<readonly ContactLine[]> {
  let card: Property[] | undefined;
  let begun = 0;
  const fail = (line: number, problem: string, hint: string) =>
    refused(`${name}, line ${line},`, problem, hint);
  for await (const lines of unfolded(texts, fail)) {
    const cards: ContactLine[] = [];
    for (const { line, text } of lines) {
      const property = propertyOf(text);
      if (property === undefined || !used.has(property.name)) continue;
      const value = property.value.trim().toUpperCase();
      if (property.name === "BEGIN" && value === "VCARD") [card, begun] = [[], line];
      else if (property.name === "END" && value === "VCARD") {
        if (card !== undefined) cards.push(contactOf(card, begun));
        card = undefined;
      } else if (property.name === "VERSION" && value !== "3.0" && value !== "4.0") {
        throw fail(line, `has vCard ${cut(value)}`, "export the contacts as vCard 3.0 or 4.0");
      } else card?.push(property);
    }
    if (cards.length > 0) yield cards;
  }
  if (card !== undefined) {
    throw fail(begun, "begins a card that does not end", "check whether the file is complete");
  }
}

/** Yields lines without their folds, each with its number. */
async function* unfolded(
  texts: AsyncIterable<string>,
  fail: (line: number, problem: string, hint: string) => Error,
): AsyncGenerator<readonly { readonly line: number; readonly text: string }[]> {
  let rest = "";
  let line = 1;
  for await (const text of texts) {
    rest += text;
    // The last line may go on in the next text.
    let end = rest.lastIndexOf("\n");
    while (end > 0 && /^[ \t]?$/.test(rest.charAt(end + 1))) end = rest.lastIndexOf("\n", end - 1);
    if (end <= 0 && rest.length > maxLine) {
      throw fail(line, "is longer than 16 MiB", "check whether it is a vCard file");
    }
    if (end <= 0) continue;
    const found = numbered(rest.slice(0, end), line);
    line += rest.slice(0, end + 1).split("\n").length - 1;
    rest = rest.slice(end + 1);
    yield found;
  }
  yield numbered(rest, line);
}

function numbered(text: string, first: number) {
  let line = first;
  return text.split(/\n(?![ \t])/).map((folded) => {
    const number = line;
    line += folded.split("\n").length;
    return { line: number, text: folded.replace(/\n[ \t]/g, "") };
  });
}

/** Parses `item1.TEL;type=CELL:+49…`. Returns undefined for a line that is none. */
function propertyOf(text: string): Property | undefined {
  const [, name, parameters, value] =
    /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/s.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name: name.toUpperCase(), parameters: parameters!.toLowerCase(), value: value! };
}

/** Returns the cells of a card, or why it cannot be imported. */
function contactOf(card: readonly Property[], line: number): ContactLine {
  const valueOf = (name: string) => card.find((property) => property.name === name);
  const fullName = plainText(valueOf("FN")?.value ?? "");
  const given = plainText(valueOf("N")?.value.split(/(?<!\\);/)[1] ?? "");
  const [phones, problem] = phonesOf(card);
  const cells = [phones.join(" "), given || fullName, dateOf(valueOf("BDAY"))];
  if (problem === undefined) return { line, cells };
  return { line, cells, problem: `${cut(fullName || given) || "a card"} ${problem}` };
}

/** Returns the number of a card: the only one, or of those that are marked as mobiles, or of all, the preferred one. */
function phonesOf(
  card: readonly Property[],
): readonly [phones: readonly string[], problem?: string] {
  const numbers = (properties: readonly Property[]) => {
    const all = properties.map(({ value }) =>
      // An extension is kept, and refused as in CSV.
      plainText(value)
        .replace(/^tel:/i, "")
        .replace(/;ext=(\d+)/i, " ext $1")
        .replace(/;.*$/, ""),
    );
    return [...new Map(all.map((number) => [number.replace(/[\s().-]/g, ""), number])).values()];
  };
  const tels = card.filter(({ name, value }) => name === "TEL" && value.trim() !== "");
  const all = numbers(tels);
  if (all.length === 0) return [all, "has no phone number"];
  const mobiles = tels.filter(({ parameters }) => /\b(?:cell|mobile|iphone)\b/.test(parameters));
  const candidates = mobiles.length === 0 ? tels : mobiles;
  const best = Math.min(...candidates.map(preferenceOf));
  for (const some of [tels, mobiles, candidates.filter((tel) => preferenceOf(tel) === best)]) {
    const found = numbers(some);
    if (found.length === 1) return [found];
  }
  const phones = all.map((phone) => cut(phone)).join(", ");
  return [
    all,
    `has ${counted(all.length, "phone number")}, of which CELL and PREF do not select one: ${phones}`,
  ];
}

/** Returns the rank of a number: 1 is the most preferred, as `TYPE=PREF` of vCard 3.0 and `PREF=1` of 4.0 say. */
function preferenceOf({ parameters }: Property): number {
  const [pref, rank = "1"] = /\bpref\b(?:="?(\d+))?/.exec(parameters) ?? [];
  return pref === undefined ? Infinity : Number(rank);
}

/** Returns a value without its escapes. */
function plainText(value: string): string {
  return value.replace(/\\([\\;,nN])/g, (_, mark: string) => (/n/i.test(mark) ? " " : mark)).trim();
}

/** Returns a birthday as `YYYY-MM-DD` or `--MM-DD` if it is a date of vCard, and as it stands otherwise. */
function dateOf(property: Property | undefined): string {
  const value = plainText(property?.value ?? "");
  const [, year, month, day] = /^(\d{4}|--)-?(\d\d)-?(\d\d)(?:T.*)?$/i.exec(value) ?? [];
  if (year === undefined) return value;
  const omitted = /x-apple-omit-year=(\d{4})/.exec(property!.parameters)?.[1];
  return year === "--" || year === omitted ? `--${month}-${day}` : `${year}-${month}-${day}`;
}
