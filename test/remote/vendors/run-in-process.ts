import { PassThrough, Writable } from "node:stream";
import { main } from "../../../src/cli/main.ts";
import type { Clock } from "./clock.ts";

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly clock: Clock;
}

/** Runs sendctl in this process, with pipes as streams and a simulated clock. */
export async function runInProcess(args: readonly string[], running: Running): Promise<Ran> {
  const { folder, clock } = running;
  const stdin = new PassThrough();
  stdin.end(running.stdin);
  const stdout = captured();
  const stderr = captured();
  const exitCode = await main(args, {
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: running.env,
    folder,
    home: folder,
    now: () => clock.now() * 1000,
    elapsed: clock.now,
    random: () => 1,
    sleep: clock.sleep,
    run: () => Promise.reject(new Error("no child processes in tests")),
    onStop: () => () => {},
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function captured() {
  const chunks: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY: false }), text: () => chunks.join("") };
}
