import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { freePort } from "../support/ports.mjs";
import { test, type StartServe } from "../support/serving.ts";
import type { Home } from "../support/home.ts";
import { installSendctl } from "../support/install-program.ts";
import { parsed, textOf } from "./markdown.ts";
import { stepsOf } from "./page-script.ts";

/** The steps of docs/serve.md up to the one that reads the file. */
function stepsOfServe(): string {
  const commands = stepsOf(textOf("docs/serve.md")).map(({ command }) => command);
  const last = commands.findIndex((command) => command.includes(". ./service.env"));
  const recipe = commands.slice(0, last + 1).join("\n");
  return `${recipe}\ntrap 'kill $!' EXIT`.replace(/\bserve /, "serve --port 4010 ");
}

const recipes = {
  "docs/ci.md": parsed(textOf("docs/ci.md"))
    .blocks.find(({ file }) => file === "start-service.sh")!
    .lines.join("\n"),
  "docs/serve.md": stepsOfServe(),
};

/** Runs a recipe with `bash -e`, and then a command that uses its service. */
async function runRecipe(home: Home, recipe: string, port: number) {
  await installSendctl(home);
  const script = `${recipe}\nsendctl group create Customers --query name\necho "$SENDCTL_BASE_URL"`;
  await writeFile(join(home.folder, "job.sh"), script.replaceAll("4010", String(port)));
  return home.shell('PATH="$HOME/bin:$PATH" timeout 40 bash -e job.sh');
}

/** Starts a service over another database on the same port. */
async function portInUse(serve: StartServe): Promise<number> {
  return (await serve(["--port", "0", "--database", "other.db"])).port;
}

const stale = "SENDCTL_BASE_URL=http://127.0.0.1:9\nSENDCTL_SECRET_KEY=of-an-earlier-run\n";

describe.for(Object.entries(recipes))("the background service of %s", ([, recipe]) => {
  for (const [title, content] of [
    ["no file", undefined],
    ["the file of an earlier run", stale],
  ] as const) {
    test(`starts with ${title}, and ends with the script`, async ({ home, expect }) => {
      if (content !== undefined) await writeFile(join(home.folder, "service.env"), content);
      const port = await freePort();
      const { exitCode, stdout } = await runRecipe(home, recipe, port);
      expect({ exitCode, stdout }).toStrictEqual({
        exitCode: 0,
        stdout: `Customers\nhttp://127.0.0.1:${port}\n`,
      });
      const client = {
        SENDCTL_BASE_URL: `http://127.0.0.1:${port}`,
        SENDCTL_SECRET_KEY: "any-key",
      };
      // The script does not wait for the end of the server.
      const list = () => home.run(["group", "list", "--retries", "0"], client);
      await expect.poll(async () => (await list()).exitCode, { timeout: 20_000 }).toBe(8);
    });

    test(`fails with ${title} if the port is in use`, async ({ home, serve, expect }) => {
      if (content !== undefined) await writeFile(join(home.folder, "service.env"), content);
      const { exitCode, stdout } = await runRecipe(home, recipe, await portInUse(serve));
      expect({ exitCode, stdout }).toStrictEqual({ exitCode: 1, stdout: "" });
    });
  }
});
