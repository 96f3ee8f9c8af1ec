import { EventEmitter, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { execa } from "execa";
import { describe } from "vitest";
import { launcher, test } from "../support/home.ts";
import { commands, envelope, senderId, type Way } from "./answers.ts";
import { faultsOf, key, meet } from "./run-remote.ts";
import { startService, type Script } from "./scripted-service.ts";

const stops = [
  ["SIGINT", 130, "cancelled"],
  ["SIGTERM", 143, "terminated"],
] as const;

const ways = Object.keys(commands) as Way[];

const cases = stops.flatMap((stop) => ways.map((way) => [...stop, way] as const));

describe("a request that is under way", () => {
  test.for(cases)("is given up at %s with %i (%s): %s", async (given, { home, expect }) => {
    const [signal, exitCode, kind, way] = given;
    const heard = new EventEmitter();
    const begun = once(heard, "request");
    const service = await startService(() => void heard.emit("request"));
    const args = ["--base-url", service.baseUrl, ...commands[way], "--json"];
    const running = execa(process.execPath, [launcher, ...args], {
      cwd: home.folder,
      env: { ...home.env, SENDCTL_SECRET_KEY: key },
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
    });
    await begun;
    running.kill(signal);
    // Far less than the request may take: it is the signal that ends it.
    const ended = await Promise.race([running, setTimeout(4000, undefined, { ref: false })]);
    if (ended === undefined) running.kill("SIGKILL");
    await service.close();
    expect(ended).toMatchObject({ exitCode });
    const { stdout, stderr } = await running;
    expect(stderr).toMatch(/^(?:→ [^\n]+\n)?(?:sendctl: )?[^\n]+\n(?:hint: [^\n]+\n)?$/);
    expect(JSON.parse(stdout)).toMatchObject({ status: false, error: { kind } });
    // Only what may have been done has to be checked.
    const { hint } = (JSON.parse(stdout) as { error: { hint: string | null } }).error;
    if (way === "GET") expect(hint).toBeNull();
    else expect(hint).toContain("sendctl ");
    expect(service.received).toHaveLength(1);
    expect(faultsOf({ exitCode, stdout, stderr, waits: [] }, args)).toStrictEqual([]);
  });
});

type Stop = (signal: "SIGINT") => void;

/** What asks the program to stop, once there is a program. */
function stopping(): { readonly stopWith: (stop: Stop) => void; readonly stop: () => void } {
  const known: Stop[] = [];
  return {
    stopWith: (stop) => known.push(stop),
    stop: () => {
      for (const stop of known) stop("SIGINT");
    },
  };
}

describe("in between", () => {
  test("a page of a list and the next", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    const script: Script = (_, { index, answer }) => {
      const records = [{ ...senderId, id: 9 - index }];
      if (index === 1) return stop();
      const numbers = { current_page: index + 1, last_page: 3, per_page: 1, total: 3 };
      return answer(200, envelope({ data: records, ...numbers }));
    };
    const met = await meet(script, ["sender-id", "list", "--all", "--json"], { stopWith });
    expect(met).toMatchObject({ exitCode: 130, faults: [] });
    expect(met.received).toHaveLength(2);
    expect(met.stderr).toMatch(/nothing was changed/i);
  });

  test("a create whose answer was lost and its look-up", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    const script: Script = ({ method }, { hangUp }) => (method === "POST" ? hangUp() : stop());
    const met = await meet(script, [...commands["POST sender-id"], "--json"], { stopWith });
    expect(met).toMatchObject({ exitCode: 130, faults: [] });
    expect(met.stderr).toContain("may have succeeded");
  });

  test("an update whose first answer was lost and its second attempt", async ({ expect }) => {
    const { stopWith, stop } = stopping();
    const script: Script = (_, { index, hangUp }) => (index === 0 ? hangUp() : stop());
    const met = await meet(script, commands.PUT, { stopWith });
    expect(met).toMatchObject({ exitCode: 130, faults: [] });
    expect(met.stderr).toContain("may have succeeded");
  });
});
