import { execFileSync } from "node:child_process";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEmbedded } from "../../src/engine/embedded.ts";
import { openMemoryStore } from "../../src/engine/sqlite/store.ts";
import { createInspect } from "../../src/server/inspect/inspect.ts";
import { makeHome, type Home } from "../support/home.ts";
import { hasBrowser, openBrowser } from "../support/browser.ts";
import { startServe } from "../support/serving.ts";

const nasty = '<img src=x onerror="document.title=1">';
const long = `${"x".repeat(900)} שלום ${"y".repeat(50)}`;

const now = (): number => Date.now() * 1000;

async function status(url: string, given: Record<string, string> = {}): Promise<number> {
  return (await fetch(url, { headers: given })).status;
}

describe.skipIf(!hasBrowser)("the page of --inspect (skipped without a browser)", () => {
  let home: Home;
  let browser: Browser;
  let page: Page;
  let served: Awaited<ReturnType<typeof startServe>>;
  let address: string;
  const problems: string[] = [];

  const headers = (): Record<string, string> => ({
    Authorization: `Bearer ${served.serve.key}`,
    "Content-Type": "application/json",
  });
  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${served.serve.baseUrl}${path}`, {
      method,
      headers: headers(),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const rows = (): Promise<string[]> => page.locator("#rows tr").allInnerTexts();
  const open = (tab: string) => page.getByRole("tab", { name: tab }).click();

  beforeAll(async () => {
    home = await makeHome();
    served = await startServe(home, ["--temporary", "--inspect"], {});
    address = /SENDCTL_INSPECT_URL=(.*)/.exec(served.serve.stdout())![1]!;
    browser = await openBrowser();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (
        !request.url().startsWith(new URL(address).origin) &&
        !request.url().startsWith("data:")
      ) {
        problems.push(request.url());
      }
    });
    await page.goto(address);
    await page.getByText("0 requests").waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.serve.stop();
  });

  test("shows requests as they arrive, and filters them", async () => {
    const sent = send("POST", "/v1/group", { name: nasty });
    await page.getByText("1 requests").waitFor();
    expect((await sent).status).toBe(201);
    await send("POST", "/v1/sender-id", { name: "Acme", purpose: long });
    await send("GET", `/v1/sender-id/${encodeURIComponent(`<b>${"x".repeat(2000)}</b>`)}`);
    await expect.poll(rows).toHaveLength(3);
    expect((await rows())[2]).toMatch(/POST \/v1\/group\s+201/);
    await page.getByLabel("Status").first().selectOption("4");
    expect(await rows()).toHaveLength(1);
    await page.getByLabel("Status").first().selectOption("");
    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    await page.keyboard.press("/");
    await page.keyboard.type("onerror");
    expect(await rows()).toHaveLength(1);
    await page.getByLabel("Search").first().fill("");
    expect(await page.title()).toBe("sendctl serve");
  });

  test("shows details, and copies a request that a shell can repeat", async () => {
    await page.locator("#rows tr").last().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "POST /v1/group" }).waitFor();
    expect(await page.locator("#details-text").innerText()).toContain("<img src=x onerror=");
    expect(await page.content()).not.toContain(served.serve.key);
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const line = await page.evaluate<string>("navigator.clipboard.readText()");
    const printed = execFileSync("sh", ["-c", `${line} -s`], {
      encoding: "utf8",
      env: { ...process.env, SENDCTL_SECRET_KEY: served.serve.key },
    });
    expect(JSON.parse(printed)).toMatchObject({ status: true, data: { name: nasty } });
    await page.getByRole("button", { name: "Close" }).click();
  });

  test("shows, finds and copies the bodies as they were sent", async () => {
    const search = page.getByLabel("Search").first();
    const sent: readonly (readonly [body: string, shown: string, found: readonly string[]])[] = [
      ['{"name":"A","n":12345678901234567890}', "", ["12345678901234567890", '"name":"A"']],
      ['{"name":1e2,"name":"B"}', "", ['"name":1e2,"name"']],
      ['{"name": "Caf\\u00e9\\/"}', "", ["Caf\\u00e9", "Café/"]],
      ['{"name":"Say \\"hi\\""}', '{\n  "name": "Say \\"hi\\""\n}', ['Say "hi"', 'Say \\"hi\\"']],
      ['{ "name" : "D", "x": [] }', '{\n  "name": "D",\n  "x": []\n}', ['"name": "D"']],
      ["name='E' 50%\nnot json", "", ["name='E' 50%"]],
    ];
    for (const [body, shown, found] of sent) {
      const target = "/v1/group?page=1&page=2&x[]=a%20b";
      await fetch(`${served.serve.baseUrl}${target}`, { method: "POST", headers: headers(), body });
      for (const text of [...found, `POST ${target}`]) {
        await search.fill(text);
        await expect.poll(async () => (await rows()).length, { message: text }).toBeGreaterThan(0);
      }
      await search.fill("");
      await page.locator("#rows tr").first().click();
      await page.getByRole("heading", { name: `POST ${target}` }).waitFor();
      const texts = await page.locator("#details-text pre").allTextContents();
      expect(texts[2]).toBe(shown || body);
      await page.getByRole("button", { name: "Copy as curl" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const line = await page.evaluate<string>("navigator.clipboard.readText()");
      // Prints the arguments of curl, each with a zero byte.
      const printed = execFileSync("sh", ["-c", line.replace("curl", String.raw`printf '%s\0'`)], {
        encoding: "utf8",
      });
      expect(printed.split("\0")).toEqual(
        expect.arrayContaining([body, served.serve.baseUrl + target]),
      );
      await page.getByRole("button", { name: "Close" }).click();
    }
    await search.fill("nothing like it");
    await page.getByText(/^0 of \d+ requests/).waitFor();
    await search.fill("");
    problems.splice(0, problems.length);
  });

  test("reviews sender IDs, and shows texts of others as texts", async () => {
    await open("Sender IDs");
    await page.getByRole("button", { name: "Approve: Acme" }).click();
    await page.getByRole("cell", { name: "APPROVED" }).waitFor();
    expect(await page.locator("#sender-ids").innerText()).toContain(long);
    await open("Groups");
    await page.locator("#group-list", { hasText: nasty }).waitFor();
    await page.getByLabel("Search").last().fill("nothing like it");
    await page.getByText("page 1 of 1, 0 groups").waitFor();
    await page.getByLabel("Search").last().fill("");
  });

  test("sets faults and shows them", async () => {
    await open("Faults");
    await page.locator("#fault-form select").selectOption("group.list");
    await page.locator('input[name="status"]').fill("503");
    await page.locator('input[name="times"]').fill("1");
    await page.getByRole("button", { name: "Set fault" }).click();
    await page.getByRole("cell", { name: "group.list:status=503,times=1", exact: true }).waitFor();
    expect((await send("GET", "/v1/group")).status).toBe(503);
    await page.locator('input[name="status"]').fill("99");
    await page.getByRole("button", { name: "Set fault" }).click();
    await page.locator("#problem", { hasText: "status" }).waitFor();
    await page.getByRole("button", { name: "Clear all faults" }).click();
    await page.locator("#fault-list", { hasText: "None" }).waitFor();
    problems.splice(0, problems.length, ...problems.filter((text) => !/400/.test(text)));
    await open("Requests");
    expect((await rows())[0]).toContain("group.list:status=503,times=1");
  });

  test("has no violation of accessibility, in each view, light and dark, wide and narrow", async () => {
    await page.evaluate(axe.source);
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 360],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      for (const tab of ["Requests", "Sender IDs", "Groups", "Faults"]) {
        await open(tab);
        await page.locator("h1").hover();
        const found = await page.evaluate(
          "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))",
        );
        expect({ colorScheme, width, tab, found }).toEqual({
          colorScheme,
          width,
          tab,
          found: [],
        });
        const overflows = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
        expect({ width, tab, overflows }).toEqual({ width, tab, overflows: false });
        const folder = process.env["INSPECT_PICTURES"];
        if (folder !== undefined) {
          await page.screenshot({ path: join(folder, `${tab}-${width}-${colorScheme}.png`) });
        }
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("resets the service, and follows thousands of requests", async () => {
    await open("Requests");
    await page.getByRole("button", { name: "Reset…" }).click();
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await page.getByText("0 requests").waitFor();
    expect(await (await send("GET", "/v1/group")).json()).toMatchObject({ data: { total: 0 } });
    for (let count = 0; count < 20; count += 1) {
      await Promise.all(Array.from({ length: 50 }, () => send("GET", "/v1/group")));
    }
    await page.getByText("1001 requests").waitFor();
    expect(await rows()).toHaveLength(200);
    await page.getByRole("button", { name: "Show 200 more" }).click();
    expect(await rows()).toHaveLength(400);
  });

  test("shows requests in eight tabs, also when the first is closed", async () => {
    const context = await browser.newContext();
    const tabs: Page[] = [];
    for (let count = 0; count < 8; count += 1) {
      const tab = await context.newPage();
      await tab.goto(address);
      await tab.getByText("1001 requests").waitFor();
      tabs.push(tab);
    }
    await send("GET", "/v1/group/8");
    for (const tab of tabs) await tab.getByText("1002 requests").waitFor();
    await tabs[0]!.close();
    await send("GET", "/v1/group/7");
    for (const tab of tabs.slice(1)) {
      await tab.getByText("1003 requests").waitFor();
      expect(await tab.locator("#rows tr").first().innerText()).toContain("/v1/group/7");
    }
    await context.close();
  });

  test("says when the service does not respond, and goes on when it is back", async () => {
    await page.route(/\/(?:events|requests)$/, (route) => route.abort());
    await page.reload();
    await page.locator("#state", { hasText: "does not respond" }).waitFor({ timeout: 30_000 });
    await page.unroute(/\/(?:events|requests)$/);
    await send("GET", "/v1/sender-id");
    await page.getByText("1004 requests").waitFor({ timeout: 30_000 });
    await expect.poll(() => page.locator("#state").textContent()).toBe("");
    problems.splice(
      0,
      problems.length,
      ...problems.filter((text) => !/ERR_|events|requests/.test(text)),
    );
  });

  test("reports no problem on its console, and loads nothing from elsewhere", () => {
    expect(problems).toEqual([]);
  });

  test("refuses other hosts, origins and paths", async () => {
    expect(await status(address)).toBe(200);
    expect(await status(address, { Origin: "http://evil.example" })).toBe(403);
    expect(await status(`${new URL(address).origin}/guess/`)).toBe(404);
    expect(await status(address.slice(0, -1))).toBe(404);
    const { headers: sent } = await fetch(address);
    expect(sent.get("Content-Security-Policy")).toMatch(/^default-src 'none'/);
    expect(sent.get("X-Frame-Options")).toBe("DENY");
    expect(sent.get("Cache-Control")).toBe("no-store");
  });
});

test("shows all groups of a service whose pages are short", async () => {
  const behaviour = { per_page_max: 50, per_page_over_max: "refused" } as const;
  const engine = createEmbedded(openMemoryStore(now), now, behaviour);
  const service = await engine.service(undefined);
  for (let number = 1; number <= 51; number += 1) {
    await service["group.create"]({ body: { name: `Group ${number}` } });
  }
  expect(await createInspect(engine, "http://127.0.0.1").groups()).toHaveLength(51);
  await engine.close();
});
