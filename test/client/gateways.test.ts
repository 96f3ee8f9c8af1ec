import { describe, test } from "vitest";
import { version } from "../../package.json";
import { runAgainst } from "./run-remote.ts";
import { answering, commands, envelope, group, scriptFor, type Way } from "./sample-responses.ts";

test("every request names its client", async ({ expect }) => {
  const result = await runAgainst(answering(200, envelope(group)), commands.PUT);
  expect(result.received.length).toBeGreaterThan(1);
  const names = new Set(result.received.map(({ headers }) => headers["user-agent"]));
  expect(names).toStrictEqual(new Set([`sendctl/${version}`]));
});

test("requests have the headers and bodies of the specification", async ({ expect }) => {
  for (const [way, args] of Object.entries(commands)) {
    const { received } = await runAgainst(scriptFor(way as Way, answering(400)), args);
    const contentType = way === "DELETE" ? undefined : "application/json";
    const request = received.at(-1)!;
    expect(request.headers["content-type"], way).toBe(contentType);
    expect(request.headers["accept"], way).toBe("application/json");
    expect(request.body !== "", way).toBe(way.startsWith("P"));
  }
});

describe("headers of more than 16 KiB", () => {
  const headers = {
    "Content-Security-Policy": "x".repeat(100_000),
    "Set-Cookie": "y".repeat(60_000),
  };

  test.for([commands.GET, commands.POST])("are read: %j", async (args, { expect }) => {
    const result = await runAgainst(answering(200, envelope(group), headers), args);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
  });
});

describe("plain HTTP on a port for TLS", () => {
  const alert = Buffer.from([21, 3, 1, 0, 2, 2, 70]);

  test.for([commands.GET, commands.POST, commands.DELETE])(
    "is understood by nobody if an alert comes back: %j",
    async (args, { expect }) => {
      const result = await runAgainst((_, { end }) => end(alert), args);
      expect(result).toMatchObject({ exitCode: 8, waits: [], violations: [] });
      expect(result.received).toHaveLength(1);
      expect(result.stderr).toMatch(/speaks TLS on this port\nhint: .*https:\/\/127\.0\.0\.1:\d+/);
    },
  );
});
