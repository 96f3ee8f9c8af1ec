"use strict";

/**
 * Loaded before a program (`node --require`): when the program exits, writes its peak memory in KiB to the file
 * BENCH_REPORT.
 */
const { readFileSync, writeFileSync } = require("node:fs");

function peak() {
  try {
    // getrusage includes the memory of the parent at the time of the fork.
    return /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1];
  } catch {
    return String(process.resourceUsage().maxRSS);
  }
}

process.on("exit", () => writeFileSync(process.env.BENCH_REPORT, peak()));
