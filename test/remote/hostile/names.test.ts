import { expect, test } from "vitest";
import { commands, envelope, senderId } from "../sample-responses.ts";
import { key, runAgainst } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";
import { withTrial } from "../vendors/try-command.ts";

/** A service that matches the name in a path to another record. */
const another: Script = ({ method }, { respond }) =>
  respond(200, envelope(method === "DELETE" ? null : senderId));

test("deletes nothing if the service matches the name to another record", async () => {
  const result = await runAgainst(another, ["sender-id", "delete", "7", "--yes"]);
  expect(result).toMatchObject({ exitCode: 10, violations: [] });
  expect(result.requests).toStrictEqual(["GET /v1/sender-id/7"]);
});

test.for(["acme", " ACME ", "ÀCME"])("deletes ACME for %j", async (name) => {
  const result = await runAgainst(another, ["sender-id", "delete", name, "--yes"]);
  expect(result).toMatchObject({ exitCode: 0, violations: [] });
});

/** The same service, which creates what it is sent. */
const creating: Script = (received, conversation) =>
  received.method === "GET"
    ? another(received, conversation)
    : conversation.respond(200, envelope({ ...senderId, ...JSON.parse(received.body) }));

test("--if-not-exists creates a name that the service matches to another record", async () => {
  const args = ["sender-id", "create", "BETA", "--purpose", "Orders", "--if-not-exists"];
  const result = await runAgainst(creating, args);
  expect(result).toMatchObject({ exitCode: 0, violations: [] });
  expect(result.requests).toContain("POST /v1/sender-id");
});

test.for(["newest", "oldest"] as const)(
  "--prune keeps a wanted sender ID if the service matches paths to the %s of two names",
  (namesake) => {
    const names = namesake === "newest" ? ["acme", "ACME"] : ["ACME", "acme"];
    const seed = { senderIds: names.map((name) => ({ name, purpose: "Orders" })) };
    return withTrial({ lookUp: "any case", namesake }, { seed }, async (trial) => {
      const manifest = { sender_ids: [{ name: "ACME", purpose: "Orders" }] };
      const args = ["apply", "-f", "manifest.json", "--prune", "--yes"];
      const { exitCode, after } = await trial.run(args, { manifest });
      expect(after.senderIds.map(({ name }) => name)).toContain("ACME");
      expect(exitCode).toBe(10);
    });
  },
);

test("--prune deletes all sender IDs with the same name", () => {
  const seed = { senderIds: ["A", "A", "A"].map((name) => ({ name, purpose: "Orders" })) };
  return withTrial({}, { seed }, async (trial) => {
    const args = ["apply", "-f", "manifest.json", "--prune", "--yes"];
    const { exitCode, after } = await trial.run(args, { manifest: { sender_ids: [] } });
    expect([exitCode, after.senderIds]).toStrictEqual([0, []]);
  });
});

test("hides a key that is echoed with some characters escaped", async () => {
  const [first = "", ...rest] = key;
  const tail = rest.join("");
  const forms = [
    `\\u00${first.codePointAt(0)!.toString(16)}${tail}`,
    `%${first.codePointAt(0)!.toString(16)}${tail}`,
    `${key.slice(0, -1)}\\u00${key
      .codePointAt(key.length - 1)!
      .toString(16)
      .toUpperCase()}`,
  ];
  for (const form of forms) {
    const script: Script = (_, { respond }) =>
      respond(422, `{"status":false,"message":"no ${form}","data":null}`);
    for (const args of [commands.GET, [...commands.POST, "--json"]]) {
      const { stdout, stderr, exitCode } = await runAgainst(script, args);
      expect(exitCode).toBe(6);
      for (const part of [key.slice(1), key.slice(0, -1)]) {
        expect(`${stdout}${stderr}`, form).not.toContain(part);
      }
    }
  }
});
