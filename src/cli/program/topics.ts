/** The topics of `sendctl help TOPIC`, in the order of the help. */
export const topics = [
  { name: "options", summary: "Global options" },
  { name: "exit-codes", summary: "Exit codes and their meaning" },
  { name: "environment", summary: "Environment variables" },
  { name: "output", summary: "Output streams and formats" },
  { name: "faults", summary: "Fault injection for serve" },
] as const;

export type TopicName = (typeof topics)[number]["name"];
