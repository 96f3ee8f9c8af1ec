import type { Socket } from "node:net";
import { describe } from "vitest";
import { test } from "../support/home.ts";
import { commands, envelope, group } from "./sample-responses.ts";
import { mayBeDone, violationsOf, key, run } from "./run-remote.ts";
import { startService } from "./scripted-service.ts";
import { authority, startTlsService, type Certificate } from "./tls-service.ts";

/** A message and an optional hint, after the line with the target. */
const oneLine = /^(?:→ [^\n]+\n)?sendctl: [^\n]+\n(?:hint: [^\n]+\n)?$/;

describe("an untrusted certificate", () => {
  const untrusted = [
    ["without its authority", "service", false],
    ["with its authority", "service", true],
    ["that is self-signed", "self-signed", false],
  ] as const;
  const cases = untrusted.flatMap(([what, name, sent]) =>
    (["GET", "POST", "DELETE"] as const).map((way) => [what, way, name, sent] as const),
  );

  test.for(cases)("%s fails %s without retries", async ([, way, name, sent], { expect }) => {
    const service = await startTlsService(name, sent);
    const args = ["--base-url", `https://127.0.0.1:${service.port}`, ...commands[way], "--json"];
    const ran = await run(args);
    await service.close();
    expect(service.received).toStrictEqual([]);
    expect(ran).toMatchObject({ exitCode: 8, waits: [] });
    expect(ran.stderr).toMatch(oneLine);
    expect(ran.stderr).toContain(`sendctl: 127.0.0.1:${service.port} `);
    expect(ran.stderr).toContain("NODE_EXTRA_CA_CERTS");
    expect(violationsOf(ran, args)).toStrictEqual([]);
  });
});

describe("NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
  test("does not disable verification, and no key is sent", async ({ home, expect }) => {
    const service = await startTlsService("self-signed");
    const env = { SENDCTL_SECRET_KEY: key, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const ran = await home.spawn(
      ["--base-url", `https://localhost:${service.port}`, ...commands.GET],
      env,
    );
    await service.close();
    expect(ran).toMatchObject({ exitCode: 8, stdout: "" });
    expect(service.received).toStrictEqual([]);
  });
});

describe("a certificate of an authority in NODE_EXTRA_CA_CERTS", () => {
  const env = { SENDCTL_SECRET_KEY: key, NODE_EXTRA_CA_CERTS: authority };

  test("is trusted", async ({ home, expect }) => {
    const service = await startTlsService("service");
    const args = ["--base-url", `https://localhost:${service.port}`, ...commands.GET, "--json"];
    const ran = await home.spawn(args, env);
    await service.close();
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toStrictEqual(envelope(group));
    expect(service.received).toMatchObject([
      { method: "GET", target: "/v1/group/12", headers: { authorization: `Bearer ${key}` } },
    ]);
  });

  test.for(["PUT", "DELETE"] as const)(
    "leads to the service that lost a %s on a connection opened ahead",
    async (way, { home, expect }) => {
      const service = await startTlsService("service", false, ({ method }, { respond, hangUp }) =>
        method === way ? hangUp() : respond(200, envelope(group)),
      );
      const args = ["--base-url", `https://localhost:${service.port}`, ...commands[way]];
      const ran = await home.spawn([...args, "--retries", "0"], env);
      await service.close();
      expect(ran.stderr).toMatch(mayBeDone);
      expect(ran.exitCode).toBe(9);
      expect(service.received.filter(({ method }) => method === way)).toHaveLength(1);
    },
  );

  test.for([
    ["other-name", "another name"],
    ["expired", "expired"],
  ] as const satisfies readonly (readonly [Certificate, string])[])(
    "does not excuse another problem: %s",
    async ([certificate, word], { home, expect }) => {
      for (const way of ["GET", "POST"] as const) {
        const service = await startTlsService(certificate);
        const base = ["--base-url", `https://localhost:${service.port}`];
        const ran = await home.spawn([...base, ...commands[way]], env);
        await service.close();
        expect(ran, way).toMatchObject({ exitCode: 8, stdout: "" });
        expect(ran.stderr).toMatch(oneLine);
        expect(ran.stderr).toContain(word);
        expect(ran.stderr).toContain(`localhost:${service.port}`);
        // Trusting another authority would not help.
        expect(ran.stderr).not.toContain("NODE_EXTRA_CA_CERTS");
        expect(service.received).toStrictEqual([]);
      }
    },
  );
});

/** What a port that does not speak TLS does on a connection. */
const plainPorts = {
  "responds in plain HTTP": (socket) =>
    socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  "hangs up": (socket) => socket.once("data", () => socket.destroy()),
} as const satisfies Readonly<Record<string, (socket: Socket) => unknown>>;

const plainCases = (Object.keys(plainPorts) as (keyof typeof plainPorts)[]).flatMap((port) =>
  (["GET", "POST"] as const).map((way) => [port, way] as const),
);

// Nothing of a request is sent during the handshake, so a create cannot have been carried out.
test.for(plainCases)("a port that %s is unavailable for %s", async ([port, way], { expect }) => {
  const service = await startService(
    () => {},
    (socket) => Boolean(plainPorts[port](socket)),
  );
  const args = ["--base-url", `https://127.0.0.1:${service.port}`, ...commands[way]];
  const ran = await run(args);
  await service.close();
  expect(ran).toMatchObject({ exitCode: 8, stdout: "" });
  expect(violationsOf(ran, args)).toStrictEqual([]);
  if (port === "hangs up") {
    if (way === "GET") expect(service.connections()).toBe(3);
    return;
  }
  expect(ran.waits).toStrictEqual([]);
  expect(ran.stderr).toMatch(oneLine);
  expect(ran.stderr).toContain("TLS");
  expect(ran.stderr, "words for people").not.toMatch(/[0-9A-F]{8}:|\.c:\d/);
});
