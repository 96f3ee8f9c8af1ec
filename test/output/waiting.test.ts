import { describe, onTestFinished, vi } from "vitest";
import { createWaiting, sayRetries } from "../../src/output/status/progress.ts";
import { startService, type Script } from "../client/scripted-service.ts";
import { runAtTerminal, test, type Home } from "../support/home.ts";

const page = { data: [], current_page: 1, last_page: 1, per_page: 15, total: 0 };
const envelope = { status: true, message: "Groups retrieved", data: page };

type Terminal = Parameters<typeof runAtTerminal>[2];

/** Runs `group list` against a scripted service. */
async function listed(
  home: Home,
  script: Script,
  terminal: Terminal = {},
  args: readonly string[] = [],
) {
  const service = await startService(script);
  try {
    const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: "sk_test_1234" };
    const all = ["group", "list", ...args];
    const outcome = await runAtTerminal(home, all, { ...terminal, env });
    return { ...outcome, lines: linesShown(outcome.stderr), baseUrl: service.baseUrl };
  } finally {
    await service.close();
  }
}

/** Returns the lines left on the terminal: each starts after it was last erased. */
function linesShown(stderr: string): string[] {
  return stderr.split("\n").map((line) => line.split("\r\u001b[K").at(-1)!);
}

/** A service that responds once the terminal has shown a text. */
function afterShown(wanted: string) {
  let release: (() => void) | undefined;
  let isShown = false;
  const script: Script = (_, { respond }) => {
    release = () => respond(200, envelope);
    if (isShown) release();
  };
  const read = (stderr: string): void => {
    if (isShown || !stderr.includes(wanted)) return;
    isShown = true;
    release?.();
  };
  return { script, read };
}

const failOnce: Script = (_, { index, respond, hangUp }) =>
  index === 0 ? hangUp() : respond(200, envelope);

describe.concurrent("a slow service", () => {
  test("is shown on a status line, which is removed", async ({ home, expect }) => {
    const { script, read } = afterShown(", attempt 1 of 3, 1 s");
    const outcome = await listed(home, script, { read });
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stderr).toContain(`waiting for ${outcome.baseUrl}, attempt 1 of 3, 1 s`);
    expect(outcome.lines.join("\n")).not.toContain("waiting");
  });

  test("is shown on one line of a narrow terminal", async ({ home, expect }) => {
    const { script, read } = afterShown(", attempt 1 of 3, 1 s");
    const columns = 40;
    const { stderr } = await listed(home, script, { read, columns });
    const drawn = stderr
      .split("\n")
      .flatMap((line) => line.split("\r\u001b[K"))
      .filter((line) => line.startsWith("waiting"));
    expect(drawn).not.toStrictEqual([]);
    for (const line of drawn) expect(line.length).toBeLessThan(columns);
  });
});

describe.concurrent("a retry", () => {
  test("is shown with its reason and the pause before it, until it ends", async ({
    home,
    expect,
  }) => {
    const { exitCode, lines, stderr, baseUrl } = await listed(home, failOnce);
    expect(exitCode).toBe(0);
    const { host } = new URL(baseUrl);
    const retry = String.raw`retrying (?:now|in \d+\.\d s) \(attempt 2 of 3\)`;
    expect(stderr).toMatch(new RegExp(`${host} closed the connection; ${retry}`));
    expect(lines.join("\n")).not.toContain("retrying");
    const narrow = await listed(home, failOnce, { columns: 40 });
    expect(narrow.stderr).toMatch(new RegExp(`\r(?:\\u001b\\[K)?${retry}`));
  });
});

test.for([
  [0, "retrying now"],
  [49, "retrying now"],
  [50, "retrying in 0.1 s"],
  [1500, "retrying in 1.5 s"],
] as const)("a pause of %i ms is shown as %s", async ([milliseconds, text], { expect }) => {
  const shown: string[] = [];
  const show = async (line: string): Promise<void> => void shown.push(line);
  const line = { show, clear: async (): Promise<void> => {} };
  const watches = [
    sayRetries(show),
    createWaiting({ target: "", elapsed: () => 0, columns: () => 80, line }),
  ];
  for (const watch of watches) {
    const request = watch();
    request.attempt(1, 3);
    await request.pause(milliseconds, "Busy");
    await request.end();
  }
  expect(shown).toStrictEqual(Array.from({ length: 2 }, () => `Busy; ${text} (attempt 2 of 3)`));
});

test("the status line stays until the last of several requests has ended", async ({ expect }) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const shown: string[] = [];
  const watch = createWaiting({
    target: "https://sms.example.com",
    elapsed: () => Date.now(),
    columns: () => 80,
    line: {
      show: async (text) => void shown.push(text),
      clear: async () => void shown.push(""),
    },
  });
  const [one, other] = [watch(), watch()];
  await one.end();
  vi.advanceTimersByTime(2000);
  expect(shown.at(-1)).toContain("waiting for https://sms.example.com");
  await other.end();
  vi.advanceTimersByTime(2000);
  expect(shown.at(-1)).toBe("");
  watch();
  vi.advanceTimersByTime(2000);
  expect(shown.at(-1)).toContain("waiting for https://sms.example.com");
});
