import { describe, expect, test } from "vitest";
import { SendctlError } from "../../src/core/error.ts";
import type { PartialBehaviour } from "../../src/contract/behaviour.ts";
import type { Embedded } from "../../src/engine/embedded.ts";
import { exchange } from "./raw-http.ts";
import { send, startRunning, type Running, type SendOptions } from "./running-server.ts";

const anyText = expect.stringMatching(/./);

const bodies: Readonly<Record<string, (status: number) => object>> = {
  envelope: () => ({ status: false, message: anyText, data: null }),
  message: () => ({ message: anyText }),
  errors_by_field: () => ({ message: anyText }),
  error: () => ({ error: anyText }),
  error_message: () => ({ error: { message: anyText } }),
  problem: (status) => ({ type: "about:blank", status, detail: anyText }),
};

type ErrorBody = NonNullable<PartialBehaviour["error_body"]>;

const unusable = (engine: Embedded): Embedded => ({
  ...engine,
  callerOf: () => Promise.reject(new TypeError("a bug")),
});

const locked = (engine: Embedded): Embedded => ({
  ...engine,
  callerOf: () => Promise.reject(new SendctlError("database", "it is locked")),
});

describe.each(Object.keys(bodies) as ErrorBody[])("error_body: %s", (error_body) => {
  const bodyOf = bodies[error_body]!;
  const received = async (running: Running, method: string, path: string, given?: SendOptions) => {
    const { status, text, headers } = await send(running, method, path, given);
    const isProblem = error_body === "problem";
    expect(headers["content-type"]).toBe(`application/${isProblem ? "problem+" : ""}json`);
    expect(JSON.parse(text)).toEqual(bodyOf(status));
    return { status, headers };
  };

  test("is the body of a 429, a 503, a 500 and an unreadable request", async () => {
    const limited = await startRunning({ behaviour: { error_body }, rateLimit: 1, now: () => 0 });
    await send(limited, "GET", "/v1/group");
    const slow = await received(limited, "GET", "/v1/group");
    expect([slow.status, slow.headers["retry-after"]]).toEqual([429, "1"]);

    const busy = await startRunning({ behaviour: { error_body }, engine: locked });
    const refused = await received(busy, "GET", "/v1/group");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);

    const broken = await startRunning({ behaviour: { error_body }, engine: unusable });
    expect((await received(broken, "GET", "/v1/group")).status).toBe(500);

    const [unreadable] = await exchange(busy.port, "NOT HTTP\r\n\r\n");
    expect(unreadable!.status).toBe(400);
    expect(JSON.parse(unreadable!.body)).toEqual(bodyOf(400));
  });
});

describe("error_status: always_200", () => {
  const behaviour: PartialBehaviour = { error_status: "always_200", error_body: "message" };

  test("keeps the statuses of failures, of an injected fault, and of /healthz", async () => {
    const busy = await startRunning({ behaviour, engine: locked });
    expect((await send(busy, "GET", "/v1/group")).status).toBe(503);
    expect((await send(busy, "POST", "/healthz")).status).toBe(405);
    const broken = await startRunning({ behaviour, engine: unusable });
    expect((await send(broken, "GET", "/v1/group")).status).toBe(500);
  });
});

test.each([{ page_parameter: "ignored" }, { page_parameter: "refused" }] as const)(
  "a service with other pages has no cursors: %j",
  async (behaviour) => {
    const running = await startRunning({ behaviour });
    const body = { name: "Friends" };
    for (let count = 0; count < 2; count += 1) await send(running, "POST", "/v1/group", { body });
    const { headers } = await send(running, "GET", "/v1/group?perPage=1");
    expect(headers).not.toHaveProperty("sendctl-cursor");
  },
);
