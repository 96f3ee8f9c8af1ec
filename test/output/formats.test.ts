import { insertGroups, manyGroups, test } from "../support/home.ts";

const all = ["group", "list", "--all"];

test("--all prints every record once and in order, from many pages", async ({ home, expect }) => {
  await insertGroups(home, manyGroups(2345));
  const wanted = Array.from({ length: 2345 }, (_, index) => String(2345 - index));
  for (const perPage of ["7", "1000"]) {
    const { stdout } = await home.run([...all, "-o", "id", "--per-page", perPage]);
    expect(stdout.trimEnd().split("\n")).toStrictEqual(wanted);
  }
  const jsonl = await home.run([...all, "-o", "jsonl"]);
  const csv = await home.run([...all, "-o", "csv"]);
  expect(jsonl.stdout.trimEnd().split("\n")).toHaveLength(2345);
  expect(csv.stdout.split("\r\n")).toHaveLength(2347);
});

test("ids are arguments of other commands", async ({ home, expect }) => {
  await insertGroups(home, manyGroups(3));
  const script = 'for id in $(sendctl group list -o id); do sendctl group fetch "$id" -o id; done';
  const piped = await home.shell(script);
  expect(piped).toMatchObject({ exitCode: 0, stdout: "3\n2\n1\n", stderr: "" });
});
