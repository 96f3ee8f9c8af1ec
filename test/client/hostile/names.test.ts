import { expect, test } from "vitest";
import { envelope, senderId } from "../sample-responses.ts";
import { runAgainst } from "../run-remote.ts";
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
