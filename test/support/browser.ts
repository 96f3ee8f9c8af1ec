import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

/** Where Debian and others install it. */
const executable = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((file) => existsSync(file));

/** Whether a browser is installed. The gate installs one; elsewhere its tests are skipped. */
export const hasBrowser = executable !== undefined || process.env["CI"] === "true";

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: executable!, args: ["--no-sandbox", "--disable-gpu"] });
}
