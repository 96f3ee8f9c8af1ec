import { once } from "node:events";
import { describe, test } from "vitest";
import { answering, commands, envelope, group } from "../sample-responses.ts";
import { mayBeDone, runAgainst } from "../run-remote.ts";
import type { Conversation, Script } from "../scripted-service.ts";

// Each bracket would be a level of recursion.
test.for([
  ["100,000 balanced brackets", "[".repeat(100_000) + "]".repeat(100_000)],
  ["100,000 unclosed braces", '{"a":'.repeat(100_000)],
  ["a long number in 100,000 brackets", `${"[".repeat(100_000)}12345678901234567890`],
] as const)("a success that is not the service's is reported: %s", async ([, body], { expect }) => {
  for (const args of [commands.GET, commands.POST, ["group", "list", "--all", "--json"]]) {
    const exitCode = args === commands.POST ? 9 : 10;
    const result = await runAgainst(answering(200, body), args);
    expect(result, args.join(" ")).toMatchObject({ exitCode, waits: [], violations: [] });
  }
});

describe("a response that is not HTTP", () => {
  test.for([
    ["another protocol", "SSH-2.0-OpenSSH_9.7\r\n"],
    ["text", "hello\r\n\r\n"],
    ["bytes", Uint8Array.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])],
    ["an invalid status", "HTTP/1.1 abc OK\r\n\r\n"],
    ["conflicting lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"],
    ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"],
    ["an escape sequence in a header", "HTTP/1.1 200 OK\r\nX-Name: \x1b[31mred\r\n\r\n"],
    ["headers that are too long", `HTTP/1.1 200 OK\r\nX-Name: ${"x".repeat(100_000)}\r\n\r\n`],
  ] as const)("is reported without retries: %s", async ([, bytes], { expect }) => {
    for (const json of [[], ["--json"], ["--debug"]]) {
      const args: readonly string[] = [...commands.GET, ...json];
      const result = await runAgainst((_, { end }) => end(bytes), args);
      expect(result, args.join(" ")).toMatchObject({ exitCode: 10, waits: [], violations: [] });
      expect(result.received).toHaveLength(1);
    }
    const created = await runAgainst((_, { end }) => end(bytes), commands.POST);
    expect(created).toMatchObject({ exitCode: 9, violations: [] });
    expect(created.stderr).toMatch(mayBeDone);
    expect(created.requests.filter((line) => line.startsWith("POST"))).toHaveLength(1);
  });

  test("includes a switch to another protocol", async ({ expect }) => {
    const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: tea\r\nConnection: upgrade\r\n\r\n";
    const args = [...commands.GET, "--timeout", "500ms", "--retries", "0"];
    const result = await runAgainst((_, { raw }) => raw(head), args);
    // A client that waited for more would time out with exit code 8.
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
  });
});

describe("a wrong Content-Length", () => {
  const text = JSON.stringify(envelope(group));

  test("that is too short leaves a truncated envelope", async ({ expect }) => {
    const bytes = `HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${text}`;
    for (const args of [commands.GET, [...commands.GET, "--json"]]) {
      const result = await runAgainst((_, { raw }) => raw(bytes), args);
      expect(result, args.join(" ")).toMatchObject({ exitCode: 10, violations: [] });
      expect(result.received).toHaveLength(1);
    }
    const created = await runAgainst((_, { raw }) => raw(bytes), commands.POST);
    expect(created).toMatchObject({ exitCode: 9, violations: [] });
  });

  test("followed by surplus bytes is not a lost response", async ({ expect }) => {
    const bytes = `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}\0\0surplus`;
    const result = await runAgainst((_, { raw }) => raw(bytes), commands.GET);
    expect([0, 10]).toContain(result.exitCode);
    expect(result).toMatchObject({ waits: [], violations: [] });
  });
});

describe("an endless body", () => {
  const mebibyte = Buffer.alloc(1024 * 1024, " ");

  /** Sends data until the client stops reading. */
  const endless =
    (head: string, count: { sent: number }): Script =>
    (_, { socket, raw }: Conversation) => {
      const send = async (): Promise<void> => {
        raw(`HTTP/1.1 200 OK\r\n${head}\r\n`);
        while (socket.writable && count.sent < 200) {
          count.sent += 1;
          if (!socket.write(mebibyte)) await once(socket, "drain").catch(() => {});
        }
      };
      socket.on("close", () => socket.emit("drain"));
      void send();
    };

  test.for([
    ["without a length", "Connection: close\r\n"],
    ["with a length", `Content-Length: ${200 * mebibyte.length}\r\n`],
  ] as const)("is rejected: %s", async ([, head], { expect }) => {
    const count = { sent: 0 };
    const result = await runAgainst(endless(head, count), [...commands.GET, "--json"]);
    expect(result).toMatchObject({ exitCode: 10, waits: [], violations: [] });
    expect(result.received).toHaveLength(1);
    expect(result.stderr).toContain("64 MiB");
    // More is sent than read, because some of it is buffered in between.
    expect(count.sent).toBeLessThan(100);
  });
});
