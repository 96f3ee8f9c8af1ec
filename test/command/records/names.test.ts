import { join } from "node:path";
import { describe } from "vitest";
import { liveService } from "../../client/apply/apply-remote.ts";
import { runOn } from "../../client/run-remote.ts";
import { group } from "../../client/sample-responses.ts";
import { startService } from "../../client/scripted-service.ts";
import { errorOf, runAtTerminal, test } from "../../support/home.ts";

describe.concurrent("a record that does not exist", () => {
  test.for([
    ["group fetch customers", 'did you mean "Customers" (1)?'],
    ["group update Custmers --send-holiday", 'did you mean "Customers" (1)?'],
    [
      "group fetch \u0421ustomers",
      String.raw`did you mean "Customers" (1)? You wrote "\u0421ustomers"`,
    ],
    ["sender-id fetch \u0410\u0421\u041c\u0415", 'did you mean "ACME"? You wrote "'],
    ["group delete Old --yes", 'did you mean "Old friends" (2)?'],
    ["group fetch 2024", "for the group named 2024: name:2024"],
    ["group delete 2024 --yes", "for the group named 2024: name:2024"],
    ["sender-id fetch acme", 'did you mean "ACME"?'],
    ["sender-id delete ACMF --yes", 'did you mean "ACME"?'],
    ["group fetch Suppliers", "sendctl group list --all"],
  ] as const)("%s, at a terminal, gets the hint %j", async ([line, hint], { home, expect }) => {
    for (const name of ["Customers", "Old friends", "2024"])
      await home.run(["group", "create", name]);
    await home.run(["sender-id", "create", "ACME", "--purpose", "Tests"]);
    const ran = await runAtTerminal(home, line.split(" "), {});
    expect([ran.exitCode, ran.stderr.includes(`hint: ${hint}`)], ran.stderr).toEqual([4, true]);
  });

  test.for([
    ["group fetch x", "group list --all"],
    ["local contact list x", "group list --all --local"],
    ["undo 2", "history"],
  ] as const)("%s has a hint for the same database", async ([line, hint], { home, expect }) => {
    const target = ["--database", "other.db"];
    await home.run(["group", "create", "A", ...target]);
    const { stderr } = await home.run([...line.split(" "), ...target]);
    const command = `sendctl ${hint} --database ${join(home.folder, "other.db")}`;
    expect(stderr).toContain(`hint: ${command}\n`);
    expect(await home.shell(command)).toMatchObject({ exitCode: 0 });
  });

  const ofNumber = [
    "group fetch 77",
    "group delete 77 --yes",
    "group update 77 --send-holiday",
    "group rename 77 Clients",
    "group preview 77",
  ];
  const hint = "for the group named 77: name:77";

  test.for(ofNumber)(
    "in a script, %s gets the hint of its name",
    async (line, { home, expect, onTestFinished }) => {
      await home.run(["group", "create", "77"]);
      const ran = await home.run([...line.split(" "), "--json"]);
      expect([ran.exitCode, errorOf(ran).hint], ran.stderr).toEqual([4, hint]);
      const service = await startService(
        liveService({ groups: [{ ...group, name: "77" }] }).script,
      );
      onTestFinished(service.close);
      const remote = await runOn(service, line.split(" "), { home: home.folder });
      expect(remote).toMatchObject({ exitCode: 4, violations: [] });
      expect(remote.stderr).toContain(`hint: ${hint}\n`);
      const requests = ["GET /v1/group/77", "GET /v1/group?perPage=1000"];
      expect(remote.requests).toStrictEqual(requests);
    },
  );

  test("in a script, only a name whose list was read gets one", async ({ home, expect }) => {
    await home.run(["group", "create", "Customers"]);
    await home.run(["sender-id", "create", "ACME", "--purpose", "Tests"]);
    const group = errorOf(await home.run(["group", "fetch", "customers", "--json"]));
    const senderId = errorOf(await home.run(["sender-id", "fetch", "acme", "--json"]));
    expect([group.hint, senderId.hint]).toEqual(['did you mean "Customers" (1)?', null]);
  });
});
