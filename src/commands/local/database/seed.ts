import { stayLean } from "../../../service/read-list.ts";
import { SendctlError } from "../../../core/error.ts";
import { emptyValue, wholeNumber } from "../../../command/arguments.ts";
import type { RecordView } from "../../../output/views.ts";
import { defineCommand, text, type Values } from "../../../command/define-command.ts";

const options = {
  senderIds: text("--sender-ids <n>", "number of sender IDs (default: 5)"),
  groups: text("--groups <n>", "number of groups (default: 20)"),
  contacts: text("--contacts <n>", "number of contacts, in all new groups together (default: 200)"),
  randomSeed: text(
    "--random-seed <text>",
    "seed of the generator: a number or any text (default: random)",
  ),
  integration: text("--integration <name>", "integration of the records (default: the key's)"),
};

export const localSeed = defineCommand({
  path: "local seed",
  changes: "database",
  summary: "Add generated test records",
  description:
    "Add realistic generated sender IDs, groups and contacts. The same random seed produces the same records.",
  options,
  examples: [
    "sendctl local seed",
    "sendctl local seed --groups 1000 --contacts 5000 --random-seed demo --json",
  ],
  async run({ clock, local, output }, _, given) {
    const { integration, randomSeed } = given;
    const counts = countsOf(given);
    if (randomSeed === "") throw emptyValue("--random-seed", "pass a number or any text");
    // A missing database would have this integration only.
    const isCreated = integration === undefined || integration === "default";
    const { seed } = await local.engine(isCreated ? "create" : "change");
    await stayLean();
    const progress = output.progress();
    let added: Counts = { senderIds: 0, groups: 0, contacts: 0 };
    try {
      const pace = {
        added: async (now: Counts): Promise<void> => {
          added = now;
          const percent = Math.floor((100 * total(now)) / total(counts));
          await progress.update(`${percent}% · ${countedText(now)}`);
          // Gives a pending signal the chance to end the command.
          await clock.sleep(0);
        },
        now: clock.elapsed,
        sleep: clock.sleep,
      };
      const request = { integration, ...(await local.key()), randomSeed, ...counts };
      const reply = await seed(request, pace);
      await progress.done();
      return await output.record(reply, seedView);
    } catch (error) {
      await progress.done();
      if (total(added) > 0) await output.say(`Added before the failure: ${countedText(added)}`);
      throw error;
    }
  },
});

/** The default and the largest count of each kind of record. */
const bounds = {
  senderIds: { option: "--sender-ids", byDefault: 5, max: 100_000 },
  groups: { option: "--groups", byDefault: 20, max: 10_000_000 },
  contacts: { option: "--contacts", byDefault: 200, max: 100_000_000 },
} as const;

type Kind = keyof typeof bounds;
type Counts = Readonly<Record<Kind, number>>;

/** A larger group could run out of the distinct phone numbers of a country. */
const maxContactsPerGroup = 5_000_000;

function countsOf(given: Values<typeof options>): Counts {
  const countOf = (kind: Kind): number => {
    const { option, byDefault, max } = bounds[kind];
    return wholeNumber(given[kind], option, 0, max) ?? byDefault;
  };
  const [senderIds, groups] = [countOf("senderIds"), countOf("groups")];
  // Without groups there are no contacts by default.
  const contacts = groups === 0 && given.contacts === undefined ? 0 : countOf("contacts");
  if (contacts > 0 && groups === 0) {
    throw new SendctlError("usage", `--contacts ${contacts} conflicts with --groups 0`, {
      hint: "pass --groups 1 or more, or omit --contacts",
    });
  }
  if (contacts > groups * maxContactsPerGroup) {
    throw new SendctlError("usage", `--contacts ${contacts} is too many for --groups ${groups}`, {
      hint: `use at most ${maxContactsPerGroup} contacts per group, or more groups`,
    });
  }
  return { senderIds, groups, contacts };
}

function total({ senderIds, groups, contacts }: Counts): number {
  return senderIds + groups + contacts;
}

/** Formats counts like 1,000,000. */
function countedText(counts: Counts): string {
  const [senderIds, groups, contacts] = [counts.senderIds, counts.groups, counts.contacts].map(
    (count) => count.toLocaleString("en"),
  );
  return `${senderIds} sender IDs · ${groups} groups · ${contacts} contacts`;
}

const number = { align: "right" } as const;

const seedView: RecordView = {
  one: "seed",
  many: "seeds",
  key: "random_seed",
  toCreate: "sendctl local seed",
  fields: {
    integration: { label: "Integration" },
    random_seed: { label: "Random seed" },
    sender_ids_added: { label: "Sender IDs", column: number },
    groups_added: { label: "Groups", column: number },
    contacts_added: { label: "Contacts", column: number },
  },
  columns: ["integration", "random_seed", "sender_ids_added", "groups_added", "contacts_added"],
};
