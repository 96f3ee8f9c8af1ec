#!/usr/bin/env node
"use strict";

const argv = process.argv.slice(2);

/** The commonest question is answered without loading the program. */
function saidVersion() {
  if (argv.length !== 1 || (argv[0] !== "--version" && argv[0] !== "-V")) return false;
  try {
    require("node:fs").writeSync(1, `${require("../package.json").version}\n`);
    return true;
  } catch {
    return false;
  }
}

if (!saidVersion()) {
  const { load, useUserCache, keepUserCache } = require("./load.js");
  useUserCache();
  const { main, processRuntime } = load("./main.cjs");
  // Until main says otherwise: a promise that is never kept ends the process, too.
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
