import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createSecrets } from "../../src/core/secrets.ts";
import { createWriter, type Writer } from "../../src/output/terminal.ts";

const key = "sk_canary_7f3a9c51e8d24b60";

/** Writes to a stream and returns what it received. */
async function received(
  stream: { readonly isTTY: boolean; readonly isData: boolean },
  write: (writer: Writer) => Promise<void>,
): Promise<string> {
  let text = "";
  const target = new Writable({
    decodeStrings: false,
    write(chunk: string, _, done) {
      text += chunk;
      done();
    },
  });
  const secrets = createSecrets();
  secrets.addKey(key);
  const opened = Object.assign(target, { isTTY: stream.isTTY });
  await write(createWriter(() => opened, stream.isData, secrets));
  return text;
}

const streams = [
  ["stdout at a terminal", { isTTY: true, isData: true }],
  ["stderr at a terminal", { isTTY: true, isData: false }],
  ["stderr in a file", { isTTY: false, isData: false }],
] as const;

describe("text", () => {
  test.for(streams)("is escaped on %s", async ([, stream], { expect }) => {
    const text = await received(stream, ({ write }) =>
      write("a\u001b]0;x\u0007\u009b2J\u202eb\rc\u001b[2Kd\n"),
    );
    expect(text).toBe(String.raw`a\u001b]0;x\u0007\u009b2J\u202eb\u000dc\u001b[2Kd` + "\n");
    const json = await received(stream, ({ writeJson }) => writeJson('["\u009b2J\u202e"]\n'));
    expect(json).toBe(String.raw`["\u009b2J\u202e"]` + "\n");
  });

  test.for(streams)("keeps line ends and colours on %s", async ([, stream], { expect }) => {
    const text = "\u001b[1ma\u001b[22m\u001b[31mb\u001b[39m\u001b[2mc\u001b[22m\td\r\ne\n";
    expect(await received(stream, ({ write }) => write(text))).toBe(text);
  });

  test("is not escaped on stdout in a file", async () => {
    const text = "a\u001b]0;x\u0007\u202e\r";
    expect(await received({ isTTY: false, isData: true }, ({ write }) => write(text))).toBe(text);
  });

  test("contains no key, even as progress", async () => {
    const stream = { isTTY: true, isData: false };
    const text = await received(stream, ({ rewriteLine }) => rewriteLine(`5 of ${key}\u202e`));
    expect(text).toBe(`\r\u001b[K5 of [hidden]${String.raw`\u202e`}`);
  });
});

/** Returns a writer on a stream whose writes fail. */
function writerOver(code: string): Writer {
  const error = Object.assign(new Error(code), { code });
  const stream = {
    write: (_: string, done: (error: Error) => void) => {
      done(error);
      return true;
    },
    on: () => {},
  };
  return createWriter(() => stream, true, createSecrets());
}

describe("a failed write", () => {
  // Windows reports EOF.
  test.each(["EPIPE", "EOF"])("does not count where the reader is gone: %s", async (code) => {
    const writer = writerOver(code);
    await writer.write("text");
    expect(writer.isGone()).toBe(true);
  });

  test("is an error on a full disk", async () => {
    await expect(writerOver("ENOSPC").write("text")).rejects.toMatchObject({ kind: "output" });
  });
});
