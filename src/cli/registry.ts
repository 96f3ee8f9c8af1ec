import type { Definition } from "../command/define-command.ts";

/** A first word of command lines, as help shows it. Its definitions are loaded on use. */
export interface Noun {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  /** Absent if the word is a command itself: its definition has the description and examples. */
  readonly description?: string;
  readonly examples?: readonly string[];
  readonly load: () => Promise<readonly Definition[]>;
  /** Its commands manage profiles, and run even if the config file is invalid. */
  readonly worksOnProfiles?: true;
  /** It reports invalid settings and runs with the valid ones. */
  readonly lenient?: true;
  /** Its commands always work on the embedded engine. */
  readonly isEmbedded?: true;
}

const manifestCommands = async () => (await import("../commands/manifest/apply.ts")).commands;
const historyCommands = async () => (await import("../commands/history/undo.ts")).commands;
const profileCommands = async () => (await import("../commands/profile/commands.ts")).commands;

/** The first words of all commands, in the order of the help. */
export const nouns: readonly Noun[] = [
  {
    name: "sender-id",
    alias: "sender-ids",
    summary: "Manage sender IDs",
    description:
      "Manage sender IDs: the names that messages are sent under, each with a purpose and an approval status.",
    examples: ["sendctl sender-id list", "sendctl sender-id fetch ACME"],
    load: async () => (await import("../commands/sender-id/commands.ts")).commands,
  },
  {
    name: "group",
    alias: "groups",
    summary: "Manage groups",
    description:
      "Manage groups: named collections of contacts, with birthday and holiday messages.",
    examples: ["sendctl group list", "sendctl group create Customers"],
    load: async () => (await import("../commands/group/commands.ts")).commands,
  },
  { name: "apply", summary: "Apply a manifest", load: manifestCommands },
  { name: "diff", summary: "Show what apply would change", load: manifestCommands },
  {
    name: "validate",
    summary: "Check manifests without a service",
    load: manifestCommands,
    lenient: true,
  },
  {
    name: "export",
    summary: "Export the current records as a manifest",
    load: manifestCommands,
  },
  { name: "history", summary: "Show what changed, and when", load: historyCommands },
  { name: "undo", summary: "Undo a command", load: historyCommands },
  {
    name: "serve",
    summary: "Serve the embedded engine over HTTP",
    load: async () => [(await import("../commands/serve/serve.ts")).serve],
    isEmbedded: true,
  },
  {
    name: "api",
    summary: "Send a raw request",
    load: async () => [(await import("../commands/api/api.ts")).api],
  },
  {
    name: "local",
    summary: "Manage the embedded engine",
    description:
      "Manage the embedded engine: integrations and their keys, contacts, reviews, the database, and the log of served requests.",
    examples: ["sendctl local key create", "sendctl local integration list"],
    load: async () => (await import("../commands/local/commands.ts")).commands,
    isEmbedded: true,
  },
  {
    name: "login",
    summary: "Store a service or database as a profile",
    load: profileCommands,
    worksOnProfiles: true,
  },
  {
    name: "logout",
    summary: "Remove the key of a profile",
    load: profileCommands,
    worksOnProfiles: true,
  },
  {
    name: "profile",
    alias: "profiles",
    summary: "Manage profiles",
    description:
      "Manage profiles. A profile is a name for a service and its key, or for a database.",
    examples: ["sendctl profile list", "sendctl profile show"],
    load: profileCommands,
    worksOnProfiles: true,
  },
  {
    name: "schema",
    summary: "Print schemas and the OpenAPI document",
    description:
      "Print the JSON Schema of a file that sendctl reads, for use in editors, or the OpenAPI document of the service.",
    examples: ["sendctl schema manifest", "sendctl schema behaviour"],
    load: async () => (await import("../commands/schema/commands.ts")).commands,
    lenient: true,
  },
  {
    name: "probe",
    summary: "Find out how a service behaves",
    load: async () => [(await import("../commands/probe/probe.ts")).probe],
  },
  {
    name: "doctor",
    summary: "Diagnose problems and suggest fixes",
    load: async () => [(await import("../commands/doctor/doctor.ts")).doctor],
    lenient: true,
  },
  {
    name: "completion",
    summary: "Generate a shell completion script",
    load: async () => [(await import("../commands/completion/completion.ts")).completion],
    worksOnProfiles: true,
  },
];

/** The topics of `sendctl help TOPIC`, in the order of the help. */
export const topics = [
  { name: "options", summary: "Global options" },
  { name: "exit-codes", summary: "Exit codes and their meaning" },
  { name: "environment", summary: "Environment variables" },
  { name: "output", summary: "Output streams and formats" },
  { name: "faults", summary: "Fault injection for serve" },
] as const;

export type TopicName = (typeof topics)[number]["name"];
