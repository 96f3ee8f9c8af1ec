import { describe, test } from "vitest";
import { version } from "../../package.json";
import { runAgainst } from "./run-remote.ts";
import { answering, commands, envelope, group } from "./sample-responses.ts";

const page = "<html><head><title>Attention Required!</title></head><body>Blocked</body></html>";

test("every request names its client", async ({ expect }) => {
  const result = await runAgainst(answering(200, envelope(group)), commands.PUT);
  expect(result.received.length).toBeGreaterThan(1);
  const names = new Set(result.received.map(({ headers }) => headers["user-agent"]));
  expect(names).toStrictEqual(new Set([`sendctl/${version}`]));
});

describe("a refusal that is not the service's", () => {
  test.for([401, 403])("comes from a gateway: %i", async (status, { expect }) => {
    const script = answering(status, page, { Server: "cloudflare" });
    const result = await runAgainst(script, [...commands.GET, "--json"]);
    expect(result).toMatchObject({ exitCode: 3, violations: [] });
    expect(result.stderr).toContain("a gateway (cloudflare) in front of the service");
    expect(result.stderr).toContain("Attention Required!");
    // A wrong key is a 401 of some gateways, too.
    const hint = status === 403 ? "the key may be right" : "set it to a valid key";
    expect(result.stderr).toContain(hint);
  });

  test("comes from the service in JSON", async ({ expect }) => {
    const script = answering(401, { message: "Unauthenticated." }, { Server: "nginx" });
    const result = await runAgainst(script, commands.GET);
    expect(result).toMatchObject({ exitCode: 3, violations: [] });
    expect(result.stderr).not.toContain("gateway");
    expect(result.stderr).toMatch(/hint: .*key/);
  });
});

test.for([
  [401, "set it to a valid key"],
  [403, "this key can read, but may not do this"],
] as const)(
  "a refusal of a write after a read with the same key has a hint: %i",
  async ([status, hint], { expect }) => {
    for (const args of [commands.PUT, commands.DELETE]) {
      const refused = { message: "This action is unauthorized." };
      const result = await runAgainst(({ method }, { respond }) => {
        if (method === "GET") respond(200, envelope(group));
        else respond(status, refused);
      }, args);
      expect(result).toMatchObject({ exitCode: 3, violations: [] });
      expect(result.stderr).toContain(hint);
    }
    const create = await runAgainst(answering(status, { message: "No" }), commands.POST);
    expect(create.stderr).toContain("set it to a valid key");
  },
);

describe("a hint at the base URL", () => {
  test("is given for a page of HTML with HTTP 200", async ({ expect }) => {
    const read = await runAgainst(answering(200, page), commands.GET);
    expect(read).toMatchObject({ exitCode: 10, violations: [] });
    expect(read.stderr).toContain("hint: check the base URL");
    const write = await runAgainst(answering(200, page), commands.POST);
    expect(write.stderr).not.toContain("base URL");
  });

  test("is not given for a page after the last one", async ({ expect }) => {
    const script = answering(404, { detail: "Invalid page." });
    const after = await runAgainst(script, ["group", "list", "--page", "9"]);
    expect(after).toMatchObject({ exitCode: 4, violations: [] });
    expect(after.stderr).toContain("hint: the page may be after the last one");
    expect(after.stderr).not.toContain("base URL");
    const first = await runAgainst(script, ["group", "list", "--page", "1"]);
    expect(first.stderr).toContain("hint: check the base URL");
  });
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

  test("is guessed if the connection is closed or refused in words", async ({ expect }) => {
    const closed = await runAgainst((_, { hangUp }) => hangUp(), commands.GET);
    expect(closed.stderr).toMatch(/hint: .*write https:\/\/127\.0\.0\.1:\d+/);
    const words = "<title>400 The plain HTTP request was sent to HTTPS port</title>";
    const refused = await runAgainst(answering(400, words), commands.GET);
    expect(refused).toMatchObject({ exitCode: 6 });
    expect(refused.stderr).toMatch(/hint: write https:\/\/127\.0\.0\.1:\d+/);
  });
});
