import { describe } from "vitest";
import { dataOf, errorOf, test } from "../../support/home.ts";

const create = ["group", "create", "name:7", "--if-not-exists"];

describe("group create --if-not-exists", () => {
  test("creates a group once", async ({ home, expect }) => {
    const first = await home.run([...create, "--json"]);
    const second = await home.run([...create, "--json"]);
    expect([first.exitCode, second.exitCode]).toStrictEqual([0, 0]);
    expect(dataOf(second)).toMatchObject({ id: 1, name: "name:7" });
    expect((await home.run(["group", "list", "-o", "id"])).stdout).toBe("1\n");
  });

  test("names the fields that it leaves alone", async ({ home, expect }) => {
    await home.run(create);
    const again = await home.run([...create, "--send-birthday"]);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toMatch(/^Warning: .*send_birthday/m);
    expect(dataOf(await home.run(["group", "fetch", "1", "--json"]))).toMatchObject({
      send_birthday: false,
    });
    expect((await home.run([...create, "--no-send-birthday"])).stderr).not.toContain("Warning");
  });

  test("fails if several groups have the name", async ({ home, expect }) => {
    for (let count = 0; count < 2; count += 1) await home.run(["group", "create", "name:7"]);
    const refused = await home.run([...create, "--json"]);
    expect(refused.exitCode).toBe(2);
    expect(errorOf(refused).message).toContain("ids 2, 1");
  });

  test("shows only the create with --dry-run", async ({ home, expect }) => {
    const shown = await home.run([...create, "--dry-run"]);
    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toContain("curl --globoff --path-as-is --request 'POST'");
    expect(shown.stderr).toBe("To send this, start sendctl serve first\n");
  });
});
