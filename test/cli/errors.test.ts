import { expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { errorObject, SendctlError } from "../../src/contract/error.ts";
import type { OutputStream } from "../../src/runtime/descriptor-stream.ts";
import { processRuntime, type Runtime } from "../../src/runtime/runtime.ts";
import { Writable } from "node:stream";

/** Creates a stream that records what is written to it. */
function recordingStream(): { readonly stream: OutputStream; readonly text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => chunks.join("") };
}

/** Runs a command line in a runtime with some parts replaced. */
async function run(args: readonly string[], replaced: Partial<Runtime>) {
  const [stdout, stderr] = [recordingStream(), recordingStream()];
  const exitCode = await main(args, {
    ...processRuntime(),
    env: { NO_COLOR: "1", CI: "1" },
    folder: "/nonexistent",
    home: "/nonexistent",
    stdout: stdout.stream,
    stderr: stderr.stream,
    ...replaced,
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** An error that better-sqlite3 throws for invalid SQL. */
const bug = Object.assign(new Error("near SELEC: syntax error"), { code: "SQLITE_ERROR" });
const withBug: Partial<Runtime> = {
  elapsed: () => {
    throw bug;
  },
};
const remote = ["--base-url", "http://127.0.0.1:1", "--retries", "0"];
const env = { NO_COLOR: "1", SENDCTL_SECRET_KEY: "sk_test_0000" };

test("reports an unexpected error as a defect, exit 1, without advice to restore", async () => {
  const ran = await run(["group", "list", "--json", ...remote], { ...withBug, env });
  expect(ran.exitCode).toBe(1);
  const { error } = JSON.parse(ran.stdout) as { error: Record<string, unknown> };
  expect(error).toMatchObject({ kind: "defect", http_status: null });
  expect(error["hint"]).toEqual(expect.any(String));
  expect(ran.stderr + ran.stdout).not.toMatch(/restore|backup/);
});

test("prints message and hint as two lines on stderr and two fields of JSON", async () => {
  const ran = await run(["group", "list", "--json", ...remote], { env: { CI: "1" } });
  const { message, error } = JSON.parse(ran.stdout) as {
    message: string;
    error: { message: string; hint: string };
  };
  expect(error.message).toBe(message);
  expect(message).not.toContain(error.hint);
  expect(ran).toMatchObject({
    exitCode: 3,
    stderr: `sendctl: ${message}\nhint: ${error.hint}\n`,
  });
});

test("has every field of the error object", () => {
  expect(errorObject(new SendctlError("conflict", "taken", { httpStatus: 409 }))).toStrictEqual({
    kind: "conflict",
    http_status: 409,
    message: "taken",
    hint: null,
  });
});
