import process from "node:process";

/** Processes that have not exited. They end with this one, also if a signal or an error ends it. */
export const running = new Set();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

/** Ends a process with this one. @returns the process */
export function tracked(child) {
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}
