import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readBehaviour } from "../../../src/probe/behaviour-file.ts";
import type { PartialBehaviour } from "../../../src/contract/behaviour.ts";
import { openDatabase } from "../../../src/engine/sqlite/database-file.ts";
import { runProbe } from "../../probe/run-probe.ts";
import { servedDatabase } from "../../probe/served-behaviour.ts";
import { contentsOf } from "../../support/home.ts";
import { deleteFolder, quickFolder } from "../../support/quick-folder.ts";
import { uuidOf, type Records, type Seed } from "./records.ts";
import type { State } from "./state.ts";
import type { Switches } from "./switches.ts";
import type { StartTarget } from "./try-command.ts";
import { startVendor } from "./vendor-service.ts";

/** Probes a vendor as the documentation says, and returns the behaviour file. */
export async function learn(switches: Partial<Switches>, seed: Seed): Promise<PartialBehaviour> {
  const vendor = await startVendor(switches);
  try {
    vendor.seed(seed);
    const { baseUrl, key } = vendor;
    const args = ["probe", "--scratch-group", "--yes", "-o", "yaml"];
    const { exitCode, stdout, stderr } = await runProbe(args, { baseUrl, key });
    if (exitCode !== 0) throw new Error(stderr);
    return readBehaviour(Buffer.from(stdout), "behaviour.yaml");
  } finally {
    await vendor.close();
  }
}

/** Returns a function that starts a server with a behaviour and the records of a vendor, the same each time. */
export function serving(behaviour: PartialBehaviour): StartTarget {
  let database: Buffer | undefined;
  return async (records, now) => {
    const folder = await mkdtemp(join(quickFolder, "sendctl-test-"));
    const file = join(folder, "served.db");
    if (database === undefined) copyRecords(records, file);
    else await writeFile(file, database);
    database ??= await readFile(file);
    const { baseUrl, key, close } = await servedDatabase(behaviour, file, () => now() * 1000);
    return {
      baseUrl,
      key,
      state: () => stateOfDatabase(file),
      close: async () => {
        await close();
        deleteFolder(folder);
      },
    };
  };
}

/** Writes the records of a vendor to a new database. */
function copyRecords({ senderIds, groups }: Records, file: string): void {
  const database = openDatabase(file);
  database.transaction(() => {
    const addSenderId = database.prepare(
      `INSERT INTO sender_id (id, integration_id, name, purpose, status, created_at)
       VALUES (?, 1, ?, ?, ?, ?)`,
    );
    for (const { id, name, purpose, status, created } of senderIds.rows) {
      addSenderId.run(id, name, purpose, status, created * 1000);
    }
    const addGroup = database.prepare(
      `INSERT INTO contact_group
         (id, integration_id, uuid, name, send_birthday, send_holiday, birthday_message, sender_id,
          created_at)
       VALUES (?, 1, ?, ?, ?, ?, ?, (SELECT id FROM sender_id WHERE ? IN (name, CAST(id AS TEXT))), ?)`,
    );
    for (const group of groups.rows) {
      const { id, name, birthday_message, sender_id, created } = group;
      const [birthday, holiday] = [group.send_birthday, group.send_holiday].map((flag) =>
        flag === null ? null : Number(flag),
      );
      const values = [birthday, holiday, birthday_message, sender_id, created * 1000];
      addGroup.run(id, uuidOf(id), name, ...values);
    }
  })();
  database.close();
}

type Row = Readonly<Record<string, string | number | null>>;

const flag = (value: unknown): boolean | null => (value === null ? null : value === 1);

/** Returns the records of a database, with the sender IDs of groups as ids. SQLite has no booleans. */
function stateOfDatabase(file: string): State {
  const [senderIds, groups] = contentsOf(file) as readonly (readonly Row[])[];
  return {
    senderIds: senderIds!.map(({ id, name, purpose }) => ({ id: String(id), name, purpose })),
    groups: groups!.map((row) => ({
      id: String(row["id"]),
      name: row["name"],
      send_birthday: flag(row["send_birthday"]),
      send_holiday: flag(row["send_holiday"]),
      birthday_message: row["birthday_message"],
      sender_id: row["sender_id"] === null ? null : String(row["sender_id"]),
    })),
  } as State;
}

/**
 * Returns records in a form that vendors and servers share: vendors store the sender ID of a group as it was sent, and
 * `apply` creates several groups at the same time, in any order.
 */
export function comparable({ senderIds, groups }: State, before: State): object {
  const idOf = (text: string | null): string | null =>
    senderIds.find(({ id, name }) => text !== null && (id === text || name === text))?.id ?? null;
  const old = new Set(before.groups.map(({ id }) => id));
  const shown = groups.map(({ id, sender_id, ...group }) => ({
    ...group,
    id: old.has(id) ? id : "new",
    sender_id: idOf(sender_id),
  }));
  return {
    senderIds,
    groups: shown.toSorted((one, other) => (one.name! < other.name! ? -1 : 1)),
  };
}
