import { expect, test as plainTest } from "vitest";
import { errorObject, SendctlError } from "../../src/core/error.ts";
import { errorOf, runAtTerminal, test } from "../support/home.ts";

const list = ["group", "list", "--json", "--base-url", "http://127.0.0.1:1", "--retries", "0"];

/** An error that better-sqlite3 throws for invalid SQL. */
const bug = Object.assign(new Error("near SELEC: syntax error"), { code: "SQLITE_ERROR" });

function fail(): never {
  throw bug;
}

test("reports an unexpected error as a defect, exit 1, without advice to restore", async ({
  home,
  expect,
}) => {
  const env = { NO_COLOR: "1", SENDCTL_SECRET_KEY: "sk_test_0000" };
  const ran = await runAtTerminal(home, list, { elapsed: fail, env, stdoutIsTerminal: false });
  expect(ran.exitCode).toBe(1);
  const hint = expect.any(String) as string;
  expect(errorOf(ran)).toMatchObject({ kind: "defect", http_status: null, hint });
  expect(ran.stderr + ran.stdout).not.toMatch(/restore|backup/);
});

test("prints message and hint as two lines on stderr and two fields of JSON", async ({
  home,
  expect,
}) => {
  const ran = await home.run(list);
  const { message } = JSON.parse(ran.stdout) as { message: string };
  const { hint, ...error } = errorOf(ran);
  expect(error.message).toBe(message);
  expect(message).not.toContain(hint);
  expect(ran).toMatchObject({ exitCode: 3, stderr: `sendctl: ${message}\nhint: ${hint}\n` });
});

plainTest("an error object has every field", () => {
  expect(errorObject(new SendctlError("conflict", "taken", { httpStatus: 409 }))).toStrictEqual({
    kind: "conflict",
    http_status: 409,
    message: "taken",
    hint: null,
  });
});

test.runIf(process.platform === "linux")(
  "an argument in another encoding is refused, and U+FFFD itself is not",
  async ({ home, expect }) => {
    const create = "sendctl group create -o id";
    const refused = await home.shell(`${create} "$(printf 'Caf\\351')"`);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toBe(
      'sendctl: the argument "Caf\ufffd" is not UTF-8\nhint: set the terminal to UTF-8, or save the script as UTF-8\n',
    );
    expect(await home.shell(`${create} "Caf\ufffd"`)).toMatchObject({ exitCode: 0, stdout: "1\n" });
  },
);
