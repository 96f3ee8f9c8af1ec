import { createRequire } from "node:module";
import { PassThrough, Writable } from "node:stream";
import { inject } from "vitest";
import type * as program from "../../src/cli/main.ts";
import type { OutputStream } from "../../src/runtime/descriptor-stream.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly isBuildCurrent: boolean;
  }
}

interface Loader {
  readonly load: (name: string) => typeof program;
}

if (!inject("isBuildCurrent")) {
  throw new Error("dist was built from other sources: npm run build");
}
const require = createRequire(import.meta.url);
const { load } = require("../../bin/sendctl.js") as Loader;

/** The built program, loaded in this process as by the launcher, once per test file. */
export const builtProgram = load("./base.cjs");

interface Collected {
  readonly stream: OutputStream;
  readonly text: () => string;
}

/** Creates a stream that collects its text, like a pipe to another program. */
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

/** Creates a runtime without signals, with the real clocks and a pipe as stdin. */
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

/** Variables that Node reads from the process itself, not from the environment that sendctl passes on. */
const processVariables = ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "TMPDIR", "TZ"];

/**
 * Runs one command line of the built program in this process.
 *
 * @throws Error if the environment sets a variable that only a new process can read
 */
export async function runInProcess(
  args: readonly string[],
  folder: string,
  env: Runtime["env"],
  input?: string,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const other = processVariables.filter((name) => name in env && env[name] !== process.env[name]);
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
