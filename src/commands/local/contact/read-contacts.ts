import { encodingProblem, withoutMark } from "../../../core/files.ts";
import { maxRecordSize, refused, type ContactFile, type Given } from "./contact-file.ts";
import { readCsv } from "./csv-file.ts";
import { firstLine, startingWith, textOf } from "./decode-text.ts";

/**
 * Reads contacts in constant memory: CSV with a header, or vCard, by the first line; in UTF-8, or in UTF-16 with a mark;
 * with any line ends.
 *
 * @returns the columns, and the records as they are read
 * @throws SendctlError "usage" for any other content, at once or while the records are read
 */
export async function readContacts(
  input: AsyncIterable<Uint8Array>,
  given: Given,
): Promise<ContactFile> {
  const { name } = given;
  const texts = textOf(input, (encoding, error) =>
    refused(name, encodingProblem(encoding), "convert the file to UTF-8", error),
  );
  try {
    const marked = await firstLine(texts, maxRecordSize);
    const start = withoutMark(marked);
    // The header alone, so that it is the same for chunks of any size.
    if (start.split("\n", 1)[0]!.includes("\0")) {
      const hint = "save it as UTF-8, or as UTF-16 with a byte order mark";
      throw refused(name, "contains NUL characters", hint);
    }
    const all = startingWith(start, texts);
    const mark = marked.slice(0, marked.length - start.length);
    if (!/^\s*BEGIN:VCARD\s*\n/i.test(start)) return await readCsv(start, all, given, mark);
    const { readCards } = await import("./vcard-file.ts");
    return readCards(all, given);
  } catch (error) {
    await texts.return(undefined);
    throw error;
  }
}
