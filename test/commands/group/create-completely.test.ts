import { describe } from "vitest";
import { dataOf, errorOf, runAtTerminal } from "../../support/home.ts";
import { test } from "../../support/serving.ts";
import { runAgainst } from "../../client/run-remote.ts";
import { answering, envelope, group } from "../../client/sample-responses.ts";
import { startSmallService } from "../history/small-service.ts";

const acme = ["sender-id", "create", "ACME", "--purpose", "Orders"];
const create = ["group", "create", "A", "--sender-id", "ACME", "--send-holiday"];

describe("group create with --sender-id and --send-holiday", () => {
  for (const place of ["embedded", "remotely"] as const) {
    test(`creates and updates ${place}, as one entry of the history`, async ({
      home,
      serveHere,
      expect,
    }) => {
      const env = place === "embedded" ? {} : (await serveHere()).client;
      await home.run(acme, env);
      const created = await home.run([...create, "--send-birthday", "--json"], env);
      expect(created, created.stderr).toMatchObject({ exitCode: 0 });
      expect(dataOf(created)).toMatchObject({ id: 1, send_birthday: true, send_holiday: true });
      const asked = await runAtTerminal(home, ["sender-id", "delete", "ACME"], {
        env: { ...env, NO_COLOR: "1" },
        keys: [["?", "n\r"]],
      });
      if (place === "embedded") expect(asked.stderr).toContain("(PENDING, used by 1 group)");
      const history = dataOf(await home.run(["history", "--json"], env)) as { data: object[] };
      expect(history.data[0]).toMatchObject({ changes: "1 created", created: 1, updated: 0 });
      const undone = await home.run(["undo", "--yes"], env);
      expect(undone, undone.stderr).toMatchObject({ exitCode: 0 });
      expect((await home.run(["group", "list", "-o", "id"], env)).stdout).toBe("");
    });
  }

  test("creates nothing if the sender ID does not exist", async ({ home, expect }) => {
    const refused = await home.run([...create, "--json"]);
    expect(refused).toMatchObject({ exitCode: 4 });
    expect(errorOf(refused).message).toBe("Sender ID not found: ACME");
    expect((await home.run(["group", "create", "A", "--sender-id", ""])).exitCode).toBe(2);
    expect((await home.run(["group", "list", "-o", "id"])).stdout).toBe("");
  });

  test("a failed update names the group and the command that completes it", async ({
    home,
    expect,
  }) => {
    const service = await startSmallService("keeps");
    await home.run(acme, service.env);
    service.refusesUpdates = true;
    const refused = await home.run(
      ["group", "create", "B", "--send-holiday", "--json"],
      service.env,
    );
    expect(errorOf(refused).hint).toMatch(/^to delete it: sendctl group delete 2 --base-url /);
    service.groups.pop();
    const options = ["--insecure-http", "--base-url", service.env["SENDCTL_BASE_URL"]!];
    const failed = await home.run([...create, "--json", ...options], service.env);
    expect(failed.exitCode).toBe(6);
    const { kind, http_status: status, message, hint } = errorOf(failed);
    expect([kind, status]).toStrictEqual(["invalid", 422]);
    expect(message).toBe("group A was created (id 3), but is incomplete: Done");
    expect(dataOf(failed)).toMatchObject({ id: 3, name: "A" });
    service.refusesUpdates = false;
    const [complete, remove] = hint!.split("; ");
    expect(remove).toMatch(/^to delete it: sendctl group delete 3 --insecure-http --base-url /);
    const [start, end] = complete!.split(" --sender-id NAME ");
    expect(start).toBe(
      "to complete it with another sender ID: sendctl group update 3 --send-holiday",
    );
    const line = `group update 3 --send-holiday --sender-id ACME ${end}`.split(" ");
    expect(await home.run(line, service.env)).toMatchObject({ exitCode: 0 });
    expect(service.groups).toMatchObject([{ name: "A", send_holiday: true }]);
  });

  test("says what was created if the response has no id", async ({ expect }) => {
    const nameless = { ...group, name: "A", id: undefined };
    const words = ["group", "create", "A", "--send-holiday", "--json"];
    const ran = await runAgainst(answering(201, envelope(nameless)), words);
    expect(ran).toMatchObject({ exitCode: 10 });
    const { message, hint } = errorOf(ran);
    expect(message).toBe(
      "group A was created, but is incomplete: the response has no id; not set: send_holiday",
    );
    expect(hint).toMatch(/^sendctl group list --name A /);
  });

  test("says how to complete a group that the service does not find yet", async ({ expect }) => {
    const ran = await runAgainst(
      ({ method }, { respond }) =>
        method === "POST"
          ? respond(201, envelope({ ...group, name: "A" }))
          : respond(404, { status: false, message: "None", data: null }),
      ["group", "create", "A", "--send-holiday", "--json"],
    );
    expect(ran).toMatchObject({ exitCode: 12 });
    expect(errorOf(ran).hint).toMatch(
      /^to complete it: sendctl group update 12 --send-holiday .*; to delete it: sendctl group delete 12 /,
    );
  });

  test("--dry-run prints both requests", async ({ home, expect }) => {
    const shown = await home.run([...create, "--dry-run"]);
    expect(shown.exitCode).toBe(0);
    expect(shown.stderr.split("\n")).toHaveLength(3);
    const [post, put, ...further] = shown.stdout.trimEnd().split("\n");
    expect(further).toStrictEqual([]);
    expect(post).toContain(`--request 'POST' 'http://127.0.0.1:4010/v1/group'`);
    expect(put).toContain(`--request 'PUT' 'http://127.0.0.1:4010/v1/group/ID'`);
    expect(put).toContain(`'{"send_holiday":true,"sender_id":"ACME"}'`);
  });

  test("--if-not-exists leaves an existing group alone", async ({ home, serveHere, expect }) => {
    const { client } = await serveHere();
    await home.run(acme, client);
    const again = [...create, "--if-not-exists"];
    await home.run(["group", "create", "A", "--no-send-birthday"], client);
    const shown = await home.run(again, client);
    expect(shown.exitCode).toBe(0);
    expect(shown.stderr).toContain(
      "Warning: the group already exists and was not changed: send_holiday differs, sender_id is not shown\n",
    );
    const group = await home.run(["group", "fetch", "A", "--json"], client);
    expect(dataOf(group)).toMatchObject({ send_holiday: null });
    const embedded = again.map((word) => (word === "A" ? "B" : word));
    await home.run(embedded);
    expect(await home.run(embedded)).toMatchObject({
      exitCode: 0,
      stderr: "Group B (id 2) already exists\n",
    });
  });
});

describe("the question of sender-id delete", () => {
  test.for([
    ["a service that shows them", "ACME", "(PENDING, used by 1 group)"],
    ["a service that hides them", undefined, "(PENDING)"],
  ] as const)("counts the groups of %s", async ([, shown, text], { home, expect }) => {
    const service = await startSmallService("keeps");
    await home.run(acme, service.env);
    const group = { id: 9, uuid: crypto.randomUUID(), name: "Z", send_birthday: false };
    const others = {
      send_holiday: null,
      birthday_message: null,
      created_at: "2026-01-01T00:00:00Z",
    };
    service.groups.push({ ...group, ...others, ...(shown && { sender_id: shown }) });
    const asked = await runAtTerminal(home, ["sender-id", "delete", "ACME"], {
      env: { ...service.env, NO_COLOR: "1" },
      columns: 200,
      keys: [["?", "n\r"]],
    });
    expect(asked.stderr).toContain(`Delete sender ID ACME ${text} from http`);
  });
});
