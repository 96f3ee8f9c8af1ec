import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { dataOf, type Home } from "../../support/home.ts";
import { test } from "../../support/serving.ts";

type Shown = Readonly<Record<string, unknown>>;

/** Returns the records without what does not come back. */
function comparable(records: readonly Shown[]): readonly Shown[] {
  return records
    .map(({ id: _id, uuid: _uuid, created_at: _time, contacts_count: _count, ...rest }) => rest)
    .toSorted((left, right) => (String(left["name"]) < String(right["name"]) ? -1 : 1));
}

async function list(home: Home, noun: string, env = {}): Promise<readonly Shown[]> {
  const listed = await home.run([noun, "list", "--all", "--json"], env);
  return (dataOf(listed) as { data: readonly Shown[] }).data;
}

const start = [
  "group create A --send-birthday",
  "group create B",
  "group create C",
  "group create D",
  "group create E",
  "group update A --send-holiday --birthday-message Hello",
  "sender-id create ACME --purpose Orders",
];

/** Commands that change something, and a manifest for some of them. */
const commands: readonly (readonly [command: string, manifest?: string])[] = [
  ["group create F --birthday-message Hi"],
  ["group update A --no-send-birthday --clear-birthday-message"],
  ["group update A --name Z"],
  ["group rename B Y"],
  ["group delete A --yes"],
  ["group delete A B C D E --yes"],
  ["sender-id create Shop --purpose News"],
  ["sender-id delete ACME --yes"],
  ['api POST /v1/group {"name":"F"}'],
  [
    "apply manifest.json --yes --prune",
    '{"groups":[{"name":"A","send_holiday":false},{"name":"N"}]}',
  ],
  [
    "apply manifest.json --yes --replace",
    '{"sender_ids":[{"name":"ACME","purpose":"Other"}],"groups":[{"name":"N","sender_id":"ACME"}]}',
  ],
];

describe.for(["kept", "reset", "embedded"] as const)("undo, omitted fields: %s", (kind) => {
  // What undoes a create sends no update, which alone can omit a field.
  const some = commands.filter(([command]) => kind !== "reset" || !/create|POST/.test(command));

  test.for(some)("%s", async ([command, manifest], { home, serveHere, expect }) => {
    const behaviour = join(home.folder, "behaviour.yaml");
    await writeFile(behaviour, `omitted_in_update: ${kind}\n`);
    const serve = ["--temporary", "--behaviour", behaviour];
    const env = kind === "embedded" ? {} : (await serveHere(serve)).client;
    for (const line of start)
      expect(await home.run(line.split(" "), env)).toMatchObject({ exitCode: 0 });
    if (manifest !== undefined) await writeFile(join(home.folder, "manifest.json"), manifest);
    const state = async () =>
      [await list(home, "group", env), await list(home, "sender-id", env)].map(comparable);
    const before = await state();
    const words = command.split(" ");
    if (words[0] === "api") words.splice(3, 0, "--body");
    expect(await home.run(words, env)).toMatchObject({ exitCode: 0 });
    expect(await state()).not.toStrictEqual(before);

    const dry = await home.run(["undo", "--dry-run", "--json"], env);
    expect(dry.exitCode).toBe(0);
    expect(await state()).not.toStrictEqual(before);
    const undone = await home.run(["undo", "--yes"], env);
    expect(undone).toMatchObject({ exitCode: 0 });
    expect(undone.stderr).toMatch(
      /^Undone: \d+ (?:groups?|sender IDs?) (?:created|updated|replaced|deleted)/m,
    );
    expect(await state()).toStrictEqual(before);
    const entries = (dataOf(await home.run(["history", "--json"], env)) as { data: Shown[] }).data;
    expect(entries.slice(0, 2)).toMatchObject([{ state: "undo of 2" }, { state: "undone" }]);
    expect(await home.run(["undo", "2", "--yes"], env)).toMatchObject({ exitCode: 2 });
  });
});
