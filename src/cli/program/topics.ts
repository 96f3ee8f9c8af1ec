/** What `sendctl help TOPIC` tells beside the help of commands. */
export const topics = [
  { name: "exit-codes", summary: "What the exit codes mean" },
  { name: "environment", summary: "The variables that count" },
  { name: "output", summary: "What goes where, and in which format" },
  { name: "faults", summary: "What serve can be told to do wrong" },
] as const;

export type TopicName = (typeof topics)[number]["name"];
