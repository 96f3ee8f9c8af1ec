/**
 * Runs a command line in a build of `flows.mjs`, in which every function that is called reports its file to `ran`.
 * Sends the files to the parent process in the order of their first call: when the parent sends a message, those since
 * the one before, and when the command ends, the rest.
 *
 *   node flow-process.mjs MAIN WORD...
 */
import process from "node:process";
import { pathToFileURL } from "node:url";

const [, , entry, ...words] = process.argv;
const files = new Set();
globalThis.ran = (file) => files.add(file);

function send(then) {
  process.send([...files], then);
  files.clear();
}

process.on("message", () => send());
// Also when the parent process has ended.
process.on("disconnect", () => process.exit());
// Like the launcher, which loads a bundle.
const { main, processRuntime } = await import(pathToFileURL(entry).href);
process.exitCode = await main(words, processRuntime());
send(() => process.disconnect());
