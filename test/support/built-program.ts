import { createRequire } from "node:module";
import { PassThrough, Writable } from "node:stream";
import type * as program from "../../src/cli/main.ts";
import type { OutputStream } from "../../src/runtime/descriptor-stream.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

interface Loader {
  readonly load: (name: string) => typeof program;
}

const require = createRequire(import.meta.url);
const { load } = require("../../bin/load.js") as Loader;

/** The built program in this process, as the launcher loads it: once for each file of tests. */
export const builtProgram = load("./main.cjs");

interface Collected {
  readonly stream: OutputStream;
  readonly text: () => string;
}

/** Collects what is written, as a pipe to another program would. */
function collector(): Collected {
  const written: (string | Buffer)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      written.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(written.map((part) => Buffer.from(part))).toString() };
}

const { now, elapsed, random, sleep } = builtProgram.processRuntime();

/** What a command gets from a process that nobody signals: the real clocks, and a pipe as stdin. */
export function quietRuntime(
  folder: string,
  env: Runtime["env"],
  input = "",
): Omit<Runtime, "stdout" | "stderr"> {
  return {
    stdin: new PassThrough().end(input),
    env,
    folder,
    home: env["HOME"] ?? folder,
    now,
    elapsed,
    random,
    sleep,
    onStop: () => () => {},
    run: () => Promise.reject(new Error("Use home.spawn for a command that starts programs")),
  };
}

/** What Node reads itself when it starts, or from the process where sendctl hands in an environment. */
const ofProcess = ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "TMPDIR", "TZ"];

/**
 * Runs one command line of the built program in this process.
 *
 * @throws where the environment sets what only a process of its own can have
 */
export async function runInProcess(
  args: readonly string[],
  folder: string,
  env: Runtime["env"],
  input?: string,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const other = ofProcess.filter((name) => name in env && env[name] !== process.env[name]);
  if (other.length > 0) throw new Error(`Use home.spawn to set ${other.join(", ")}`);
  const stdout = collector();
  const stderr = collector();
  const runtime = {
    ...quietRuntime(folder, env, input),
    stdout: stdout.stream,
    stderr: stderr.stream,
  };
  const exitCode = await builtProgram.main(args, runtime);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}
