#!/usr/bin/env node
"use strict";

const argv = process.argv.slice(2);

/** Prints the version without loading the program. Returns whether it did. */
function printedVersion() {
  if (argv.length !== 1 || (argv[0] !== "--version" && argv[0] !== "-V")) return false;
  try {
    require("node:fs").writeSync(1, `${require("../package.json").version}\n`);
    return true;
  } catch {
    return false;
  }
}

if (!printedVersion()) {
  const { load, useUserCache, keepUserCache } = require("./load.js");
  useUserCache();
  const { main, processRuntime } = load("./main.cjs");
  // The exit code if main never finishes because a promise is never settled.
  process.exitCode = 1;
  const run = async () => {
    const runtime = processRuntime();
    process.exitCode = await main(argv, runtime);
    runtime.end();
    // The output has left the process by now.
    if (!runtime.wasStopped()) keepUserCache();
  };
  void run();
}
