import { describe } from "vitest";
import { freePort, takePort } from "../../support/ports.mjs";
import { test } from "../../support/serving.ts";

describe.concurrent("serve --admin-port", () => {
  test("listens on another port, and prints where", async ({ serve, expect }) => {
    const port = await freePort();
    const args = ["--port", "0", "--admin-port", String(port), "--admin-host", "localhost"];
    const { baseUrl, said, stop } = await serve(args);
    await said(`Metrics on http://localhost:${port}/metrics\n`);
    expect((await fetch(`http://localhost:${port}/metrics`)).status).toBe(200);
    expect((await fetch(`${baseUrl}/metrics`)).status).toBe(404);
    expect((await stop()).exitCode).toBe(0);
  });

  test("warns if other machines can connect", async ({ serve, expect }) => {
    const args = ["--port", "0", "--admin-port", "0", "--admin-host", "0.0.0.0"];
    const { said, stop } = await serve(args);
    await said("0.0.0.0 accepts connections from other machines");
    expect((await stop()).exitCode).toBe(0);
  });

  test("names the option of a port that is in use, and leaves no other one open", async ({
    home,
    expect,
  }) => {
    const [taken, port] = [await takePort(), await freePort()];
    const args = ["--port", String(port), "--admin-port", String(taken.port)];
    const { exitCode, stderr } = await home.run(["serve", ...args]);
    await taken.close();
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/\nhint: .*--admin-port/);
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  });
});
