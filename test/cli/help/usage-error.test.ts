import { describe } from "vitest";
import { errorOf, test } from "../../support/home.ts";

const hints: readonly (readonly [line: string, hint: string])[] = [
  ["export out.yaml", "sendctl export > out.yaml"],
  ["group list --json name,id", "--columns name,id"],
  ["group list surplus", "sendctl group list --help"],
  ["group create My Friends", "quote text"],
  ["group create X --sender-id ACME", "sendctl group update GROUP --sender-id NAME"],
  ["group create --name=X", "sendctl group create NAME"],
  ["group list -n 5", "--limit"],
  ["group list -l 5", "--limit"],
  ["group list -A", "--all"],
  ["group list -w", "--watch"],
  ["group list --jq name", "--query"],
  ["group list --yaml", "--output yaml"],
  ["group delete 1 --force", "--yes"],
  ["serve -p 80", "--port"],
  ["group list -p prod", "--profile"],
  ["login --token x", "SENDCTL_SECRET_KEY"],
];

describe.concurrent("words of other tools", () => {
  for (const [line, hint] of hints) {
    test(`${line} has a hint`, async ({ home, expect }) => {
      const ran = await home.run(line.split(" "), { SENDCTL_OUTPUT: "json" });
      expect(ran.exitCode).toBe(2);
      expect(errorOf(ran)).toMatchObject({ kind: "usage" });
      expect(errorOf(ran).hint).toContain(hint);
    });
  }

  test("-o wide names --columns", async ({ home, expect }) => {
    const ran = await home.run(["group", "list", "-o", "wide"]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(/^hint: .*--columns/m);
  });

  test("a command without --yes has no hint for --force", async ({ home, expect }) => {
    const ran = await home.run(["group", "fetch", "1", "--force", "--json"]);
    expect(errorOf(ran).hint).not.toContain("--yes");
  });
});

describe.concurrent("--help before a command", () => {
  for (const [line, help] of [
    ["--help group", "help group"],
    ["-h sender-id create", "help sender-id create"],
    ["--help exit-codes", "help exit-codes"],
  ] as const) {
    test(`${line} is ${help}`, async ({ home, expect }) => {
      const shown = await home.run(line.split(" "));
      expect(shown).toStrictEqual(await home.run(help.split(" ")));
      expect(shown.exitCode).toBe(0);
    });
  }
});
