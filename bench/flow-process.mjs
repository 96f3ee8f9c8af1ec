/**
 * Runs a command line in a build of `flows.mjs`, which has a module for each source file. Sends the files of which a
 * function was called to the parent process: when the parent sends a message, those since the one before, and when the
 * command ends, the rest.
 *
 *   node flow-process.mjs MAIN WORD...
 */
import { Session } from "node:inspector";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const [, , entry, ...words] = process.argv;
/** `src/cli/main.js` is the entry. */
const build = dirname(dirname(dirname(entry)));
const { href: source } = pathToFileURL(join(build, "src/"));
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true });

/** Sends the files that ran since the last call. */
function send(then) {
  session.post("Profiler.takePreciseCoverage", (_, { result }) => {
    const files = result
      // What begins with the module is its own code, which runs when it is loaded.
      .filter(({ functions }) =>
        functions.some(({ ranges: [{ startOffset, count }] }) => startOffset > 0 && count > 0),
      )
      .filter(({ url }) => url.startsWith(source))
      .map(({ url }) => relative(build, fileURLToPath(url)).replace(/js$/, "ts"));
    process.send(files, then);
  });
}

process.on("message", () => send());
// Also when the parent process has ended.
process.on("disconnect", () => process.exit());
// Like the launcher, which loads a bundle.
const { main, processRuntime } = await import(pathToFileURL(entry).href);
process.exitCode = await main(words, processRuntime());
send(() => process.disconnect());
