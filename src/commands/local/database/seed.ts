import { stayLean } from "../../../service/lean.ts";
import { SendctlError } from "../../../core/error.ts";
import { wholeNumber } from "../../../command/arguments.ts";
import type { RecordView } from "../../../output/views.ts";
import type { SeedCounts } from "../../../engine/seed/seed.ts";
import { defineCommand, text, type Values } from "../../../command/define-command.ts";

const options = {
  senderIds: text("--sender-ids <n>", "number of sender IDs (default: 5)"),
  groups: text("--groups <n>", "number of groups (default: 20)"),
  contacts: text("--contacts <n>", "number of contacts, in all new groups together (default: 200)"),
  integration: text("--integration <name>", "integration of the records (default: the key's)"),
};

export const localSeed = defineCommand({
  path: "local seed",
  changes: "database",
  summary: "Add generated test records",
  description:
    "Add realistic generated sender IDs, groups and contacts. The same numbers produce the same records in each new database.",
  options,
  examples: ["sendctl local seed", "sendctl local seed --groups 1000 --contacts 5000 --json"],
  async run({ clock, local, output }, _, given) {
    const { integration } = given;
    const counts = countsOf(given);
    const { seed } = await local.engine();
    await stayLean();
    const progress = output.progress();
    let added: SeedCounts = { senderIds: 0, groups: 0, contacts: 0 };
    try {
      const step = async (now: SeedCounts): Promise<void> => {
        added = now;
        const percent = Math.floor((100 * total(now)) / total(counts));
        await progress.update(`${percent}% · ${countedText(now)}`);
        // Gives a pending signal the chance to end the command.
        await clock.sleep(0);
      };
      const { key, source } = await local.key();
      return await output.record(await seed(counts, step, integration, key, source), seedView);
    } catch (error) {
      if (total(added) > 0) await output.say(`Added before the failure: ${countedText(added)}`);
      throw error;
    } finally {
      await progress.done();
    }
  },
});

/** A larger group could run out of the distinct phone numbers of a country. */
const maxContactsPerGroup = 5_000_000;

function countsOf(given: Values<typeof options>): SeedCounts {
  const senderIds = wholeNumber(given.senderIds, "--sender-ids", 0, 100_000) ?? 5;
  const groups = wholeNumber(given.groups, "--groups", 0, 10_000_000) ?? 20;
  const contacts =
    wholeNumber(given.contacts, "--contacts", 0, 100_000_000) ?? (groups === 0 ? 0 : 200);
  if (contacts > groups * maxContactsPerGroup) {
    throw new SendctlError("usage", `--contacts ${contacts} is too many for --groups ${groups}`, {
      hint: `use at most ${maxContactsPerGroup} contacts per group, or more groups`,
    });
  }
  return { senderIds, groups, contacts };
}

function total({ senderIds, groups, contacts }: SeedCounts): number {
  return senderIds + groups + contacts;
}

/** Formats counts like 1,000,000. */
function countedText({ senderIds, groups, contacts }: SeedCounts): string {
  const counts = Object.entries({ "sender IDs": senderIds, groups, contacts });
  return counts.map(([noun, count]) => `${count.toLocaleString("en")} ${noun}`).join(" · ");
}

const number = { align: "right" } as const;

const seedView: RecordView = {
  key: "integration",
  fields: {
    integration: { label: "Integration" },
    sender_ids_added: { label: "Sender IDs", column: number },
    groups_added: { label: "Groups", column: number },
    contacts_added: { label: "Contacts", column: number },
  },
  columns: ["integration", "sender_ids_added", "groups_added", "contacts_added"],
};
