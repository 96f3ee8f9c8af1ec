import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { dataOf, expectRefusals, test, type Home } from "../../support/home.ts";

const [ada, bea] = ["+447911123401", "+447911123402"] as const;

async function stock(home: Home, update: readonly string[]): Promise<void> {
  await home.run(["sender-id", "create", "ACME", "--purpose", "Alerts"]);
  await home.run(["group", "create", "Friends"]);
  await home.run(["group", "update", "1", ...update]);
  const text = `phone,first_name,birth_date\n${ada},Ada,1990-02-28\n${bea},,2000-02-29\n`;
  await writeFile(join(home.folder, "a.csv"), text);
  await home.run(["local", "contact", "import", "1", join(home.folder, "a.csv")]);
}

const sends = ["--send-birthday", "--birthday-message", "Hi {first_name}!"];

function birthdays(home: Home, ...words: readonly string[]) {
  return home.run(["local", "birthdays", ...words]);
}

describe.concurrent("local birthdays", () => {
  test("lists each message and what it lacks", async ({ home, expect }) => {
    await stock(home, sends);
    const shown = dataOf(await birthdays(home, "--on", "2026-02-28", "--json"));
    const group = { group_id: 1, group: "Friends", sender_id: null, sender_id_status: null };
    const one = { date: "2026-02-28", phone: ada, first_name: "Ada", ...group };
    const other = { ...one, phone: bea, first_name: null };
    expect(shown).toStrictEqual({
      data: [
        { ...one, message: "Hi Ada!", missing: ["sender_id"] },
        { ...other, message: "Hi {first_name}!", missing: ["sender_id", "first_name"] },
      ],
      current_page: 1,
      last_page: 1,
      per_page: 2,
      total: 2,
    });
    const table = await birthdays(home, "--on", "2024-02-29");
    expect(table.stdout).toMatch(/^2024-02-29 +\+447911123402 .*a sender ID, the first name$/m);
    expect(table.stderr).toContain("Warning: 1 message is incomplete");
  });

  test("warns of braces that contacts would see", async ({ home, expect }) => {
    await stock(home, ["--send-birthday", "--birthday-message", "Hi {{first_name}}!"]);
    const { stderr } = await birthdays(home, "--on", "2026-02-28");
    expect(stderr).toContain(
      "group 1: unknown placeholder {{first_name}}; did you mean {first_name}?",
    );
  });

  test("requires an approved sender ID and a message", async ({ home, expect }) => {
    await stock(home, ["--send-birthday", "--sender-id", "ACME"]);
    const sender = { sender_id: "ACME", sender_id_status: "PENDING" };
    const one = { ...sender, message: null, missing: ["approval", "birthday_message"] };
    expect(dataOf(await birthdays(home, "--on", "2026-02-28", "--json"))).toMatchObject({
      data: [one, one],
    });
  });

  test("prints id, csv and jsonl over several days", async ({ home, expect }) => {
    await stock(home, sends);
    const words = ["--on", "2024-02-28", "--days", "2"];
    expect((await birthdays(home, ...words, "-o", "id")).stdout).toBe(`${ada}\n${bea}\n`);
    const { stdout: csv } = await birthdays(home, ...words, "-o", "csv");
    const fields =
      "date,phone,first_name,group_id,group,sender_id,sender_id_status,message,missing";
    expect(csv.split("\r\n")).toStrictEqual([
      fields,
      `2024-02-28,${ada},Ada,1,Friends,,,Hi Ada!,"[""sender_id""]"`,
      `2024-02-29,${bea},,1,Friends,,,Hi {first_name}!,"[""sender_id"",""first_name""]"`,
      "",
    ]);
    const { stdout: jsonl } = await birthdays(home, ...words, "-o", "jsonl");
    expect(
      jsonl
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { date: string }).date),
    ).toStrictEqual(["2024-02-28", "2024-02-29"]);
  });

  test("omits groups that do not send birthday messages", async ({ home, expect }) => {
    await stock(home, ["--birthday-message", "Hi"]);
    expect(await birthdays(home, "--on", "2026-02-28")).toStrictEqual({
      exitCode: 0,
      stdout: "",
      stderr: "No birthdays on 2026-02-28 in groups that send birthday messages\n",
    });
    const { stdout } = await birthdays(home, "--on", "2026-02-28", "-o", "csv");
    expect(stdout).toMatch(/^date,phone,[a-z_,]+\r\n$/);
    expect(dataOf(await birthdays(home, "--days", "366", "--json"))).toMatchObject({
      data: [],
      total: 0,
    });
  });

  test("uses the local date by default", async ({ home, expect }) => {
    const { stderr } = await birthdays(home);
    expect(stderr).toMatch(/^No birthdays on \d{4}-\d\d-\d\d in /);
    // These time zones never have the same date.
    const zones = ["Etc/GMT+12", "Etc/GMT-14"];
    const outcomes = await Promise.all(
      zones.map((TZ) => home.spawn(["local", "birthdays"], { TZ })),
    );
    expect(outcomes[0]!.stderr).not.toBe(outcomes[1]!.stderr);
  });

  test("rejects invalid dates and day counts", async ({ home, expect }) => {
    await expectRefusals(expect, home, "local birthdays", [
      [["--on", "2026-02-29"], 2, 'invalid day "2026-02-29" for --on'],
      [["--on", "today"], 2, 'invalid day "today" for --on'],
      [["--on", ""], 2, 'invalid day "" for --on'],
      [["--days", "0"], 2, "--days"],
      [["--days", "367"], 2, "--days"],
      [["--days", "x"], 2, "--days"],
      [["--on", "9999-12-31", "--days", "2"], 2, "9999-12-31"],
      [["--dry-run"], 2, "--dry-run"],
    ]);
    expect(await birthdays(home, "--on", "9999-12-31")).toMatchObject({ exitCode: 0 });
    expect(await birthdays(home, "--on", "0001-01-01")).toMatchObject({ exitCode: 0 });
  });
});
