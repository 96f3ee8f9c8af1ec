import type { Capabilities } from "../../../cli/capabilities.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError } from "../../../contract/error.ts";
import { emptyValue, invalidValue, wholeNumber } from "../../arguments.ts";
import { bar } from "../../../output/progress.ts";
import type { RecordView } from "../../../output/views.ts";
import { defineCommand, text } from "../../../cli/define-command.ts";

export const localSeed = defineCommand({
  path: "local seed",
  summary: "Add made-up records",
  description:
    "Add made-up sender IDs, groups and contacts that look real. The same random seed gives the same records.",
  options: {
    senderIds: text("--sender-ids <n>", "number of sender IDs (default: 5)"),
    groups: text("--groups <n>", "number of groups (default: 20)"),
    contacts: text("--contacts <n>", "number of contacts, over all new groups (default: 200)"),
    randomSeed: text("--random-seed <text>", "a number or any text (default: random)"),
    integration: text("--integration <name>", "integration of the records (default: the key's)"),
  },
  examples: [
    "sendctl local seed",
    "sendctl local seed --groups 1000 --contacts 5000 --random-seed demo --json",
  ],
  async run(context, _, options) {
    return seed(context, options);
  },
});

interface SeedOptions {
  readonly senderIds?: string;
  readonly groups?: string;
  readonly contacts?: string;
  readonly randomSeed?: string;
  readonly integration?: string;
}

/** How many of each may be asked for at once, and how many there are where nothing is said. */
const bounds = {
  senderIds: { option: "--sender-ids", usual: 5, most: 100_000 },
  groups: { option: "--groups", usual: 20, most: 10_000_000 },
  contacts: { option: "--contacts", usual: 200, most: 100_000_000 },
} as const;

type Kind = keyof typeof bounds;
type Counts = Readonly<Record<Kind, number>>;

/** Beyond it, a country's phones might not do for a group of it. */
const mostContactsOfGroup = 5_000_000;

/** Adds made-up records to the embedded database. */
async function seed(context: Capabilities, options: SeedOptions): Promise<ExitCode> {
  const { integration, randomSeed } = options;
  const counts = countsOf(options);
  if (randomSeed === "") {
    throw emptyValue("--random-seed", "pass a number or any text");
  }
  const { seed: addRecords } = await context.local.engine();
  const progress = context.output.progress();
  let sofar: Counts = { senderIds: 0, groups: 0, contacts: 0 };
  try {
    const pace = {
      added: async (now: Counts): Promise<void> => {
        sofar = now;
        await progress.update(progressOf(now, counts));
        // A signal that has come meanwhile is heard here.
        await context.clock.sleep(0);
      },
      now: context.clock.elapsed,
      sleep: context.clock.sleep,
    };
    const wish = { integration, ...(await context.local.key()), randomSeed, ...counts };
    const reply = await addRecords(wish, pace);
    await progress.done();
    return await context.output.record(reply, seedView);
  } catch (error) {
    await progress.done();
    if (total(sofar) > 0)
      await context.output.say(`Added before it was given up: ${counted(sofar)}`);
    throw error;
  }
}

function countsOf(options: SeedOptions): Counts {
  const senderIds = countOf("senderIds", options);
  const groups = countOf("groups", options);
  // Without groups there is nothing that contacts could be in.
  const contacts =
    groups === 0 && options.contacts === undefined ? 0 : countOf("contacts", options);
  if (contacts > 0 && groups === 0) {
    throw new SendctlError("usage", `--contacts ${contacts} contradicts --groups 0`, {
      hint: "pass --groups 1 or more, or omit --contacts",
      setting: "--contacts",
    });
  }
  if (contacts > groups * mostContactsOfGroup) {
    throw new SendctlError("usage", `--contacts ${contacts} is too many for --groups ${groups}`, {
      hint: `use at most ${mostContactsOfGroup} contacts a group, or more groups`,
      setting: "--contacts",
    });
  }
  return { senderIds, groups, contacts };
}

function countOf(kind: Kind, options: SeedOptions): number {
  const { option, usual, most } = bounds[kind];
  const count = wholeNumber(options[kind], option) ?? usual;
  if (count >= 0 && count <= most) return count;
  throw invalidValue("number", options[kind], option, `use a number from 0 to ${most}`);
}

function total({ senderIds, groups, contacts }: Counts): number {
  return senderIds + groups + contacts;
}

function progressOf(sofar: Counts, wanted: Counts): string {
  return `${bar(total(sofar) / total(wanted))} ${counted(sofar)}`;
}

function counted({ senderIds, groups, contacts }: Counts): string {
  return `${grouped(senderIds)} sender IDs · ${grouped(groups)} groups · ${grouped(contacts)} contacts`;
}

/** 1,000,000 */
function grouped(count: number): string {
  return count.toLocaleString("en");
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
