/** The topics of `sendctl help TOPIC`, beside the help of commands. */
export const topics = [
  { name: "exit-codes", summary: "Exit codes and their meaning" },
  { name: "environment", summary: "Environment variables" },
  { name: "output", summary: "Output streams and formats" },
  { name: "faults", summary: "Fault injection for serve" },
] as const;

export type TopicName = (typeof topics)[number]["name"];
