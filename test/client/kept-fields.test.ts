import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { writeConfig } from "../support/config-file.ts";
import { test } from "../support/serving.ts";
import { runAgainst } from "./run-remote.ts";
import { envelope, group } from "./sample-responses.ts";
import { startService } from "./scripted-service.ts";

const mayBeReset = /may have reset the sender ID/;

describe("serve says whether an update keeps omitted fields", () => {
  test.for([
    ["kept", false],
    ["reset", true],
  ] as const)(
    "so the client warns only if it does not: %s",
    async ([omitted_in_update, isWarned], { home, serveHere, expect }) => {
      await writeFile(join(home.folder, "b.json"), JSON.stringify({ omitted_in_update }));
      const { client } = await serveHere(["--behaviour", "b.json"]);
      await home.run(["group", "create", "Customers"], client);
      const update = ["group", "update", "Customers", "--send-birthday"];
      const { exitCode, stderr } = await home.run(update, client);
      expect(exitCode).toBe(0);
      expect(mayBeReset.test(stderr), stderr).toBe(isWarned);
    },
  );
});

test("a service that no longer keeps omitted fields is exit 10, with the fields", async ({
  home,
  expect,
}) => {
  const shown = { ...group, birthday_message: "hi" };
  const reset = { ...shown, send_birthday: false, send_holiday: true, birthday_message: null };
  const service = await startService(({ method }, { index, respond }) =>
    respond(200, envelope(method === "PUT" || index > 1 ? reset : shown)),
  );
  onTestFinished(service.close);
  const { baseUrl } = service;
  const behaviour = { omitted_in_update: "kept" };
  await writeConfig(home, { profiles: { prod: { baseUrl, secretKey: "sk_1", behaviour } } });
  const args = ["--profile", "prod", "group", "update", "12", "--send-holiday"];
  const { exitCode, stderr } = await home.run(args);
  expect(exitCode, stderr).toBe(10);
  expect(service.received[1]!.body).toBe('{"send_holiday":true}');
  expect(stderr).toContain("send_birthday was true, is false now");
  expect(stderr).toContain('birthday_message was "hi", is null now');
  expect(stderr).toContain(
    "hint: find out what updates reset: sendctl probe --save --scratch-group",
  );
});

test("a sender_id of null after a text was sent is exit 10 once the service has shown one, before that a warning", async ({
  home,
  expect,
}) => {
  let shown: unknown = null;
  const service = await startService(({ method }, { respond }) =>
    respond(200, envelope({ ...group, sender_id: method === "GET" ? shown : null })),
  );
  onTestFinished(service.close);
  const { baseUrl } = service;
  await writeConfig(home, { profiles: { prod: { baseUrl, secretKey: "sk_1" } } });
  const update = ["--profile", "prod", "group", "update", "12", "--sender-id", "ACME"];
  for (let times = 0; times < 2; times += 1) {
    const done = await home.run(update);
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
    expect(done.stderr).toContain("shows sender_id as null after the update");
  }
  for (const before of ["Other", null, undefined]) {
    shown = before;
    const refused = await home.run(update);
    expect(refused.exitCode, refused.stderr).toBe(10);
    expect(refused.stderr).toContain('sender_id was sent as "ACME", stored as null');
  }
});

describe("a field outside the specification that an update resets", () => {
  const shown = { ...group, description: "important", color: { hue: 1 }, version: 3, seen: null };
  const { color: _, ...hidden } = shown;
  test.for([
    ["null", { ...shown, description: null }, 'description was "important"\n'],
    ["hidden", hidden, undefined],
    ["another text or number", { ...shown, description: "x", version: null }, undefined],
  ] as const)("is named in a warning: %s", async ([, response, line], { expect }) => {
    const ran = await runAgainst(
      ({ method }, { respond }) => respond(200, envelope(method === "PUT" ? response : shown)),
      ["group", "update", "12", "--send-birthday"],
    );
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(ran.stderr.includes("the update reset fields of group 12")).toBe(line !== undefined);
    expect(ran.stderr).toContain(line ?? "");
  });
});

test.for([
  [200, "--sender-id", "7", 9],
  [204, "--sender-id", "7", 0],
  [200, "--send-birthday", undefined, 0],
] as const)(
  "an update that is confirmed with HTTP %i and no body, with %s, is exit 9 if nothing shows whether it was done",
  async ([status, option, value, exitCode], { expect }) => {
    let shown: object = { ...group, send_birthday: false };
    const ran = await runAgainst(
      ({ method }, { respond }) => {
        if (method === "PUT") shown = { ...shown, send_birthday: option === "--send-birthday" };
        return method === "PUT" ? respond(status, "") : respond(200, envelope(shown));
      },
      ["group", "update", "12", option, ...(value === undefined ? [] : [value])],
    );
    expect(ran, ran.stderr).toMatchObject({ exitCode });
    if (exitCode === 9) expect(ran.stderr).toContain("does not show sender_id");
  },
);

test.for(["message", "errors_by_field", "error", "error_message", "problem"])(
  "a record beside a message is not taken for a refusal, where a service refuses with HTTP 200 and the body %s",
  async (error_body, { home, expect }) => {
    const body = { message: "Group created", data: { ...group, name: "Z" } };
    const service = await startService(({ method }, { respond }) =>
      method === "POST" ? respond(201, body) : respond(404, { status: false, message: "No" }),
    );
    onTestFinished(service.close);
    const behaviour = { error_status: "always_200", error_body };
    await writeConfig(home, { profiles: { p: { baseUrl: service.baseUrl, behaviour } } });
    const ran = await home.run(["group", "create", "Z", "--profile", "p"], {
      SENDCTL_SECRET_KEY: "0123456789abcdef",
    });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  },
);
