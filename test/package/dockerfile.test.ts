import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { test } from "../support/serving.ts";
import { until } from "../support/waiting.ts";

const text = readFileSync("Dockerfile", "utf8");

/** The instructions that Docker knows, of those that it uses; a misspelt one would only fail when it is built. */
const instruction =
  /^(?:FROM|COPY|RUN|USER|ENV|VOLUME|ENTRYPOINT|CMD|EXPOSE \d+$|HEALTHCHECK(?: --(?:interval|timeout|start-period)=\d+s)+ +CMD) ?/;

/** Returns the JSON form of an instruction that runs a program. */
function programOf(instruction: string): readonly string[] {
  const found = new RegExp(`^${instruction} (?:.*\\\\\\n +CMD )?(\\[.*\\])$`, "m").exec(text);
  return JSON.parse(found![1]!) as readonly string[];
}

describe("the Dockerfile", () => {
  test("has only instructions that Docker knows", ({ expect }) => {
    const lines = text.replaceAll("\\\n", "").split("\n").slice(0, -1);
    const others = lines.filter((line) => !line.startsWith("#") && !instruction.test(line));
    expect(others).toStrictEqual([]);
  });

  test("does not run as root", ({ expect }) => {
    const user = text.indexOf("\nUSER node\n");
    expect(user).toBeGreaterThan(0);
    expect(user).toBeLessThan(text.indexOf("\nENTRYPOINT "));
  });

  test("writes to its volume alone, so that everything else can be read-only", async ({
    home,
    expect,
  }) => {
    const data = join(home.folder, "data");
    const empty = join(home.folder, "empty");
    await mkdir(empty);
    const [, settings] = /^ENV (.*)$/m.exec(text)!;
    const variables = settings!.split(" ").map((one) => one.replace("=/data", `=${data}`));
    expect(variables.every((one) => one.includes(data))).toBe(true);
    const others = { HOME: empty, XDG_DATA_HOME: "", XDG_CACHE_HOME: "", SENDCTL_NO_HISTORY: "" };
    const env = { ...others, ...Object.fromEntries(variables.map((one) => one.split("="))) };
    expect(await home.spawn(["group", "create", "Customers"], env)).toMatchObject({ exitCode: 0 });
    expect(await readdir(empty)).toStrictEqual([]);
    expect(await readdir(data)).toEqual(expect.arrayContaining(["sendctl.db", "state"]));
  });

  const certificate = join(import.meta.dirname, "../support/certificates/local");
  const tls = ["--tls-cert", `${certificate}.pem`, `--tls-key=${certificate}-key.pem`];

  test.skipIf(!existsSync("/proc/self/cmdline")).for([
    ["HTTP", "--port", []],
    ["HTTPS", "--port=", tls],
  ] as const)(
    "serves, and checks its health where it listens: %s",
    async ([, option, others], { home, expect }) => {
      expect(programOf("ENTRYPOINT")).toStrictEqual(["sendctl"]);
      const [command, ...args] = programOf("CMD");
      expect(command).toBe("serve");
      const port = String(await freePort());
      const given = option === "--port" ? [option, port] : [`${option}${port}`];
      const server = home.start(["serve", ...args, ...given, ...others], {});
      const [node, ...check] = programOf("HEALTHCHECK");
      expect(node).toBe("node");
      const healthOf = async (): Promise<number | undefined> => {
        const words = check.map((word) => word.replace("/proc/1/", `/proc/${server.pid}/`));
        return (await execa(process.execPath, words, { cwd: home.folder, reject: false })).exitCode;
      };
      await until("it is healthy", async () => (await healthOf()) === 0);
      server.kill("SIGTERM");
      await server;
      expect(await healthOf()).toBe(1);
    },
  );

  test("checks the default port", ({ expect }) => {
    expect(programOf("HEALTHCHECK").join(" ")).toContain("?? 4010;");
  });
});

/** Returns a port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
