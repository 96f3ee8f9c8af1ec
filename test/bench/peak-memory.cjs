"use strict";

/**
 * Loaded before a program (`node --require`): when it ends, the most memory that it held is written to the
 * file that BENCH_PEAK_FILE names, in KiB.
 */
const { readFileSync, writeFileSync } = require("node:fs");

function peak() {
  try {
    // What getrusage tells of a process begins with what its parent held when it was started.
    return /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1];
  } catch {
    return String(process.resourceUsage().maxRSS);
  }
}

process.on("exit", () => writeFileSync(process.env.BENCH_PEAK_FILE, peak()));
