import { describe } from "vitest";
import { test } from "../support/home.ts";
import { commands } from "./sample-responses.ts";
import { run } from "./run-remote.ts";

describe("plain HTTP", () => {
  test.for([
    "http://sms.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://localhost.",
    "http://0.0.0.0",
    "http://[::ffff:127.0.0.1]",
    "http://192.168.0.1",
    "HTTP://SMS.EXAMPLE.COM",
  ])("never carries a key to another machine: %s", async (address, { expect }) => {
    for (const args of Object.values(commands)) {
      const ran = await run(["--base-url", address, ...args, "--json"]);
      expect(ran.exitCode).toBe(2);
      expect(JSON.parse(ran.stdout)).toMatchObject({ error: { kind: "usage" } });
    }
  });
});
