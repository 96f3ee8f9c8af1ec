import { describe, test } from "vitest";
import type { StopSignal } from "../../../src/core/programs.ts";
import { envelope, group, page } from "../../client/sample-responses.ts";
import { runAgainst } from "../../client/run-remote.ts";
import type { Script } from "../../client/scripted-service.ts";

/** Returns a service with groups 1 to `total` and pages of at most `maxPageSize` groups. */
function paged(total: number, maxPageSize: number): Script {
  return ({ target }, { respond }) => {
    const query = new URL(target, "http://localhost").searchParams;
    const size = Math.min(Number(query.get("perPage") ?? 15), maxPageSize);
    const number = Number(query.get("page") ?? 1);
    const ids = Array.from({ length: total }, (_, index) => total - index);
    const records = ids.slice((number - 1) * size, number * size).map((id) => ({ ...group, id }));
    const numbers = { current_page: number, last_page: Math.ceil(total / size), per_page: size };
    respond(200, envelope(page(records, { ...numbers, total })));
  };
}

/** Returns the options that interrupt a program at the start of a pause. */
function stopAfter(count: number) {
  const listeners: ((signal: StopSignal) => void)[] = [];
  let pauses = 0;
  return {
    stopWith: (stop: (signal: StopSignal) => void) => void listeners.push(stop),
    paused: () => {
      pauses += 1;
      if (pauses === count) for (const stop of listeners) stop("SIGINT");
    },
  };
}

/** Lists three times and stops during the last pause. */
async function watch(args: readonly string[], terminal?: number, env = {}, rows?: number) {
  return runAgainst(
    (received, conversation) => paged(conversation.index + 1, 15)(received, conversation),
    ["group", "list", ...args],
    {
      ...(terminal === undefined ? {} : { terminal }),
      ...(rows === undefined ? {} : { rows }),
      env,
      ...stopAfter(3),
    },
  );
}

describe("--watch", () => {
  test("appends each list to the output until Ctrl-C", async ({ expect }) => {
    const outcome = await watch(["--watch", "-o", "id"]);
    expect(outcome).toMatchObject({ exitCode: 130, stdout: "1\n2\n1\n3\n2\n1\n" });
    expect(outcome.waits).toStrictEqual([2000, 2000, 2000]);
    expect(outcome.violations).toStrictEqual([]);
  });

  test("works with filters and pauses for the given duration", async ({ expect }) => {
    const outcome = await watch(["--search", "cust", "--limit", "1", "--watch", "5s", "-o", "id"]);
    expect(outcome).toMatchObject({ exitCode: 130, stdout: "1\n2\n3\n" });
    expect(outcome.waits).toStrictEqual([5000, 5000, 5000]);
  });

  test("replaces the previous list at a terminal, without a pager", async ({ expect }) => {
    const outcome = await watch(["--watch", "-o", "id"], 80, { PAGER: "cat > /dev/null" });
    const clear = "\u001b[H\u001b[J";
    expect(outcome.stdout).toBe(`${clear}1\n${clear}2\n1\n${clear}3\n2\n1\n`);
    expect(outcome.exitCode).toBe(130);
  });

  test("goes on while the service is away, and keeps what it showed", async ({ expect }) => {
    const listeners: ((signal: StopSignal) => void)[] = [];
    let back = false;
    const outcome = await runAgainst(
      (received, conversation) => {
        // Each request is repeated once.
        if ([1, 2].includes(conversation.index)) return conversation.respond(503, {});
        // The first one is sent over an idle connection, so it is repeated at once.
        if ([3, 4, 5].includes(conversation.index)) return conversation.hangUp();
        back = conversation.index > 0;
        return paged(conversation.index + 1, 15)(received, conversation);
      },
      ["group", "list", "--watch", "-o", "id", "--retries", "1"],
      {
        terminal: 80,
        stopWith: (stop) => listeners.push(stop),
        paused: () => {
          if (back) for (const stop of listeners) stop("SIGINT");
        },
      },
    );
    const clear = "\u001b[H\u001b[J";
    expect(outcome).toMatchObject({
      exitCode: 130,
      stdout: `${clear}1\n${clear}7\n6\n5\n4\n3\n2\n1\n`,
    });
    expect(outcome.stderr).toContain("retrying");
    expect(outcome.stderr).toMatch(/Warning: .* · as of \d\d:\d\d:\d\d\n/);
  });

  test("goes on after pages of gateways", async ({ expect }) => {
    for (const args of [[], ["--all"], ["--search", "cust"]]) {
      const outcome = await runAgainst(
        (received, conversation) => {
          const { index, respond } = conversation;
          const status = [200, 403, 404, 503][index - 1];
          if (status !== undefined) return respond(status, "<h1>Nothing here</h1>");
          return paged(index + 1, 15)(received, conversation);
        },
        ["group", "list", "--watch", "-o", "id", "--retries", "0", ...args],
        stopAfter(7),
      );
      expect(outcome).toMatchObject({
        exitCode: 130,
        stdout: expect.stringMatching(/^1\n6\n5\n4\n3\n2\n1\n/),
      });
      expect(outcome.violations).toStrictEqual([]);
    }
  });

  test("has a header, and shows the latest list", async ({ expect }) => {
    const listeners: ((signal: StopSignal) => void)[] = [];
    let lists = 0;
    const outcome = await runAgainst(
      (received, conversation) => {
        lists += 1;
        if (lists === 3) for (const stop of listeners) stop("SIGINT");
        const two = { ...group, id: 2 };
        const renamed = { ...group, id: 1, name: lists === 1 ? "Before" : "After" };
        const records = lists === 1 ? [two, renamed] : [{ ...group, id: 3 }, two, renamed];
        conversation.respond(200, envelope(page(records), "Groups retrieved"));
      },
      ["group", "list", "--watch", "--columns", "id,name"],
      { terminal: 80, stopWith: (stop) => listeners.push(stop) },
    );
    const rows = outcome.stdout
      .split("\u001b[J")
      .map((list) => list.split("\n").flatMap((line) => /^│ +(\d)/.exec(line)?.[1] ?? []));
    expect(rows).toStrictEqual([[], ["2", "1"], ["3", "2", "1"]]);
    expect(outcome.stderr).toMatch(/^http:\S+ · as of \d\d:\d\d:\d\d\n/);
  });

  test("ends if the service is away from the beginning", async ({ expect }) => {
    const outcome = await runAgainst(
      (_, { hangUp }) => hangUp(),
      ["group", "list", "--watch", "--retries", "0"],
    );
    expect(outcome.exitCode).toBe(8);
  });

  test("ends with the first refusal", async ({ expect }) => {
    const outcome = await runAgainst(
      (received, conversation) => {
        if (conversation.index === 0) return paged(1, 15)(received, conversation);
        return conversation.respond(403, { status: false, message: "Forbidden" });
      },
      ["group", "list", "--watch", "-o", "id"],
    );
    expect(outcome).toMatchObject({ exitCode: 3, stdout: "1\n" });
  });
});
