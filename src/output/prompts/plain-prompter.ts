import { stripVTControlCharacters } from "node:util";
import { SendctlError } from "../../core/error.ts";
import { type Runtime, withTerminal } from "../../core/runtime.ts";
import { type Choice, type PrompterOptions, type Questions, emptyForNone } from "./questions.ts";

/** Choices on one page. */
const pageLength = 20;

/**
 * Creates a prompter that only writes lines and reads lines: for screen readers, Emacs and serial
 * lines. The terminal itself shows and edits what is typed.
 */
export function createPlainPrompter(
  runtime: Runtime,
  { shownAs, before }: PrompterOptions,
): Questions {
  const write = (text: string): void => void runtime.stderr.write(text, () => {});
  const say = (text: string): void => write(`${text}\n`);
  /** Asks until `parse` returns a value; a problem is said. */
  const asked = async <Value>(
    question: string,
    parse: (line: string) => { readonly value: Value } | { readonly problem: string },
    isSecret = false,
  ): Promise<Value> => {
    await before();
    for (;;) {
      const parsed = parse(await readLine(runtime, write, question, isSecret));
      if ("value" in parsed) return parsed.value;
      if (parsed.problem !== "") say(parsed.problem);
    }
  };
  /** Shows choices with their numbers, a page at a time, and asks for one or several of them. */
  const choose = async (
    question: string,
    find: (typed: string) => readonly Choice[],
    wanted: string,
    parse: (line: string, shown: readonly Choice[]) => readonly string[] | undefined,
  ): Promise<readonly string[]> => {
    // Names the target, which must not come between the choices and the answer.
    await before();
    say(shownAs(question));
    let shown = find("");
    let from = 0;
    const showPage = (): void => {
      for (const [index, { name, about }] of shown.slice(from, from + pageLength).entries()) {
        const text = about === undefined ? name : `${name}: ${about}`;
        say(`${from + index + 1}. ${shownAs(text).trim()}`);
      }
      const left = shown.length - from - pageLength;
      if (left > 0) say(`m for ${left} more, or a word to search`);
    };
    showPage();
    return asked<readonly string[]>(`${wanted}: `, (line) => {
      const picked = parse(line, shown);
      if (picked !== undefined) return { value: picked };
      if (line === "m" && from + pageLength < shown.length) {
        from += pageLength;
      } else {
        const found = /^[\s,]*$|^\d[\d\s]*,/.test(line) ? [] : find(line);
        const range = shown.length === 1 ? "1" : `a number from 1 to ${shown.length}`;
        if (found.length === 0) return { problem: `Type ${range}, or a name` };
        [shown, from] = [found, 0];
      }
      showPage();
      return { problem: "" };
    });
  };
  return {
    ask: (question, initial) =>
      asked(withDefault(shownAs(question), initial && shownAs(initial)), (line) => {
        const value = line === "" ? (initial ?? "") : line;
        return value.trim() === "" ? { problem: "You must provide a value" } : { value };
      }),
    secret: (question) =>
      asked(
        `${shownAs(question)} (it is not shown) `,
        (line) => (line.trim() === "" ? { problem: "You must provide a value" } : { value: line }),
        true,
      ),
    edit: (question, current, isOptional = true) => {
      const label = `${shownAs(question)}${isOptional && current === "" ? emptyForNone : ""}`;
      const more = isOptional ? ", empty keeps it, - for none" : "";
      return asked(withDefault(label, shownAs(current), more), (line) => {
        if (line === "-" && isOptional) return { value: "" };
        return { value: line === "" ? current : line };
      });
    },
    select: async (question, choices, initial) => {
      const preset = choices.findIndex(({ value }) => value === initial);
      const wanted = preset < 0 ? "Number or name" : `Number or name [${preset + 1}]`;
      const [picked] = await choose(question, matching(choices), wanted, (line, shown) => {
        if (line === "" && preset >= 0) return [initial!];
        return oneOf(line, shown) ?? onlyBeginning(line, choices);
      });
      return picked!;
    },
    selectSeveral: (question, choices) =>
      choose(question, matching(choices), "Numbers or names, with commas", (line, shown) => {
        const picked = line.split(",").map((word) => oneOf(word.trim(), shown));
        return picked.every((one) => one !== undefined) ? [...new Set(picked.flat())] : undefined;
      }),
    search: async (question, find) => {
      const [picked] = await choose(question, find, "Number, name or search", oneOf);
      // A number may also be the name of another one.
      const chosen = find(picked!).find(({ value }) => value === picked);
      if (chosen !== undefined) say(shownAs(chosen.name).trim());
      return picked!;
    },
    confirm: (question) =>
      asked(`${shownAs(question)} (y/N) `, (line) => {
        if (/^(?:|no?)$/i.test(line)) return { value: false };
        return /^y(?:es)?$/i.test(line) ? { value: true } : { problem: "Type y or n" };
      }),
  };
}

/** Returns a question with its default in brackets. @param more follows the default */
function withDefault(question: string, initial: string | undefined, more = ""): string {
  const preset = initial === undefined || initial === "" ? "" : ` [${initial}]${more}`;
  return `${question}${preset}${/[?:]$/.test(question) && preset === "" ? "" : ":"} `;
}

/**
 * Returns the choice with a number or a name; undefined if there is none, or several with this
 * name. A number is always that of a line, never the id of a record.
 */
function oneOf(line: string, shown: readonly Choice[]): readonly string[] | undefined {
  if (/^\d+$/.test(line)) {
    const numbered = shown[Number(line) - 1];
    return numbered && [numbered.value];
  }
  const word = line.toLowerCase();
  const named = shown.filter(({ value, name }) =>
    [value, name].some((text) => text.trim().toLowerCase() === word),
  );
  return word !== "" && named.length === 1 ? [named[0]!.value] : undefined;
}

/** Returns the only choice that begins with a text, in any case; undefined for several. */
function onlyBeginning(line: string, choices: readonly Choice[]): readonly string[] | undefined {
  const [word, found] = [plain(line), new Set<string>()];
  for (const { value, name } of choices) {
    if ([value, name].some((text) => plain(text).startsWith(word))) found.add(value);
  }
  return word !== "" && found.size === 1 ? [...found] : undefined;
}

function plain(text: string): string {
  return text.trim().toLowerCase().replaceAll("-", " ");
}

/** Returns a search in the names of choices. */
function matching(choices: readonly Choice[]) {
  return (typed: string): readonly Choice[] =>
    choices.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()));
}

/** What ends a line: its first character decides. */
const keys = {
  interrupt: "\u0003",
  endOfInput: "\u0004",
  quit: "\u001c",
  stop: "\u001a",
  escape: "\u001b",
};

/**
 * Writes a question and reads a line, again after Ctrl-Z and `fg`. The rest stays in the input.
 *
 * @param isSecret whether not to show the text; then only Backspace and Ctrl-U edit it
 * @throws SendctlError "cancelled", also at the end of the input; "terminated", "hung_up" or "quit"
 */
async function readLine(
  runtime: Runtime,
  write: (text: string) => void,
  question: string,
  isSecret: boolean,
): Promise<string> {
  const stdin = runtime.stdin as NodeJS.ReadStream;
  const setRaw = (isRaw: boolean): void => void (isSecret && stdin.setRawMode(isRaw));
  const restore = (): void => setRaw(false);
  const begin = (): void => {
    setRaw(true);
    write(question);
  };
  const line = await withTerminal(
    runtime,
    restore,
    (signal, end) =>
      new Promise<string>((resolve, reject) => {
        let typed = "";
        const finish = (settle: () => void): void => {
          for (const [event, listener] of Object.entries(listeners)) stdin.off(event, listener);
          unlisten();
          restore();
          stdin.pause();
          // The terminal has shown the line end of what it shows.
          if (isSecret) write("\n");
          settle();
        };
        const suspend = (): void => {
          typed = "";
          restore();
          write("\n");
          runtime.suspend();
        };
        const cancel = (): void => finish(() => reject(new SendctlError("cancelled", "Cancelled")));
        const listeners = {
          data: (chunk: Buffer | string): void => {
            typed += chunk.toString();
            if (isSecret) {
              if (typed.includes(keys.quit)) end("SIGQUIT");
              if ([keys.interrupt, keys.endOfInput].some((key) => typed.includes(key)))
                return cancel();
              if (typed.includes(keys.stop)) return suspend();
              typed = edited(typed);
            }
            const [length, text] = lineIn(typed) ?? [];
            if (text === undefined) return undefined;
            const rest = typed.slice(length);
            return finish(() => {
              if (rest !== "") stdin.unshift(Buffer.from(rest));
              resolve(text);
            });
          },
          end: cancel,
        };
        const unlisten = runtime.onStop(begin, ["SIGCONT"]);
        signal.addEventListener("abort", cancel, { once: true });
        for (const [event, listener] of Object.entries(listeners)) stdin.on(event, listener);
        begin();
        stdin.resume();
      }),
  );
  if (line === keys.escape) {
    throw new SendctlError("cancelled", "Cancelled", { isEscape: true });
  }
  return stripVTControlCharacters(line).trim();
}

/** Applies Backspace and Ctrl-U to what was typed without the editing of the terminal. */
function edited(typed: string): string {
  let text = typed.slice(typed.lastIndexOf("\u0015") + 1);
  while (/[\b\u007f]/.test(text)) text = text.replace(/[^\b\u007f]?[\b\u007f]/u, "");
  return text;
}

const pasteStart = "\u001b[200~";
const pasteEnd = "\u001b[201~";

/** Returns the first line and its length; undefined without one. Pasted line ends do not end it. */
function lineIn(typed: string): readonly [length: number, text: string] | undefined {
  const pasted = typed.startsWith(pasteStart) ? typed.indexOf(pasteEnd) : 0;
  if (pasted < 0) return undefined;
  const found = /[\r\n]/.exec(typed.slice(pasted));
  if (found === null) return undefined;
  const end = pasted + found.index;
  const text = typed.slice(0, end).replaceAll(pasteStart, "").replaceAll(pasteEnd, "");
  return [end + 1, text.replace(/[\r\n]+/g, " ")];
}
