import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { execPath } from "node:process";
import { execa } from "execa";
import { describe } from "vitest";
import { parse } from "yaml";
import { root, textOf } from "../docs/markdown.ts";
import { launcher, type Home } from "../support/home.ts";
import { test as base } from "../support/serving.ts";

const { version } = JSON.parse(textOf("package.json")) as { version: string };
const name = `sendctl-v${version}-linux-x64.tar.gz`;

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const text = textOf("action.yml");
const action = parse(text) as Action;

type Values = Readonly<Record<string, string>>;

/** Returns the value of an expression of action.yml: of `a || b`, the first, which tests set. */
function valueOf(expression: string, values: Values): string {
  const [first] = expression.split(" || ");
  return values[first!] ?? "";
}

function isTrue(condition: string | undefined, values: Values): boolean {
  if (condition === undefined) return true;
  const [, left, operator, right] = /^(\S+) (==|!=) '(.*)'$/.exec(condition)!;
  return (valueOf(left!, values) === right) === (operator === "==");
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: { readonly body: string } | undefined;
}

interface Comment {
  readonly id: number;
  readonly user: { readonly type: string };
  body: string;
}

/** An HTTP server with releases and the comments of a pull request. */
interface Host {
  readonly url: string;
  /** The files of releases, by their path. */
  readonly files: Map<string, Buffer>;
  readonly comments: Comment[];
  readonly requests: Request[];
}

async function textIn(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}

/** Returns the body of GitHub's response to a request for the comments of an issue. */
function reply({ comments }: Host, { method, path, body }: Request): unknown {
  const number = Number(/\d+$/.exec(path.split("?")[0]!)?.[0]);
  if (method === "GET") return comments;
  const existing = comments.find(({ id }) => id === number);
  if (method === "PATCH" && existing !== undefined) existing.body = body!.body;
  const id = existing?.id ?? comments.length + 1;
  if (method === "POST") comments.push({ id, user: { type: "Bot" }, body: body!.body });
  return { id, html_url: `comment ${id}` };
}

async function respond(host: Host, request: IncomingMessage, response: ServerResponse) {
  const { method = "", url: path = "" } = request;
  const text = await textIn(request);
  const file = host.files.get(path);
  if (!path.startsWith("/repos/")) {
    response.writeHead(file === undefined ? 404 : 200).end(file);
    return;
  }
  const body = text === "" ? undefined : (JSON.parse(text) as { body: string });
  host.requests.push({ method, path, body });
  response.writeHead(request.headers.authorization === "Bearer the-token" ? 200 : 403);
  response.end(JSON.stringify(reply(host, { method, path, body })));
}

const test = base.extend<{ host: Host }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest needs one
  host: async ({}, use) => {
    const server = createServer((request, response) => {
      void respond(host, request, response);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const host: Host = {
      url: `http://127.0.0.1:${port}`,
      files: new Map(),
      comments: [],
      requests: [],
    };
    await use(host);
    server.close();
    server.closeAllConnections();
  },
});

/** Publishes a release whose executable is the built program. */
async function publish(home: Home, { files }: Host): Promise<Buffer> {
  const folder = name.replace(".tar.gz", "");
  const work = join(home.folder, "published");
  await mkdir(join(work, folder), { recursive: true });
  const program = join(work, folder, "sendctl");
  await writeFile(program, `#!/bin/sh\nexec '${execPath}' '${launcher}' "$@"\n`);
  await chmod(program, 0o755);
  await execa("tar", ["-c", "-z", "-f", name, folder], { cwd: work });
  const archive = await readFile(join(work, name));
  const sum = createHash("sha256").update(archive).digest("hex");
  const sums = Buffer.from(`${"0".repeat(64)}  sendctl-${version}.tgz\n${sum}  ${name}\n`);
  files.set(`/releases/download/v${version}/${name}`, archive);
  for (const at of ["latest/download", `download/v${version}`]) {
    files.set(`/releases/${at}/SHA256SUMS`, sums);
  }
  return archive;
}

/** Reads a file of `NAME=VALUE` lines, as steps write them. */
async function outputsIn(file: string): Promise<Values> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)) as [string, string][]);
}

interface Job {
  readonly inputs?: Values;
  readonly env?: Values;
  /** What the cache has of the archive. */
  readonly cached?: string;
  readonly event?: unknown;
}

/** Runs the steps of action.yml as a runner does. Returns what was written, up to the first step that failed. */
async function runAction(home: Home, host: Host, { inputs = {}, env = {}, cached, event }: Job) {
  const temporary = join(home.folder, "runner");
  const fileOf = (name: string): string => join(temporary, name);
  await mkdir(temporary, { recursive: true });
  for (const one of ["path", "summary"]) await writeFile(fileOf(one), "");
  await writeFile(fileOf("event"), JSON.stringify(event ?? { pull_request: { number: 7 } }));
  const defaults = Object.entries(action.inputs).map(([key, input]) => [key, input.default]);
  const given = { ...Object.fromEntries(defaults), releases: `${host.url}/releases`, ...inputs };
  const values: Record<string, string> = { "github.token": "the-token" };
  for (const [key, value] of Object.entries(given)) values[`inputs.${key}`] = String(value);
  let log = "";
  for (const step of action.runs.steps) {
    if (!isTrue(step.if, values)) continue;
    if (step.uses !== undefined) {
      if (cached !== undefined) await writeFile(values["steps.find.outputs.file"]!, cached);
      continue;
    }
    await writeFile(fileOf("output"), "");
    const own = Object.entries(step.env!).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{\{ (.+?) \}\}/g, (_, expression) =>
        valueOf(String(expression), values),
      ),
    ]);
    const paths = (await readFile(fileOf("path"), "utf8")).split("\n").filter((one) => one !== "");
    const ran = await execa("bash", ["-e", "-o", "pipefail", "-c", step.run!], {
      cwd: home.folder,
      reject: false,
      all: true,
      extendEnv: false,
      env: {
        ...home.env,
        ...env,
        ...Object.fromEntries(own),
        PATH: [...paths, process.env["PATH"]].join(":"),
        GITHUB_ACTION_PATH: root,
        GITHUB_API_URL: host.url,
        GITHUB_REPOSITORY: "OWNER/project",
        GITHUB_EVENT_PATH: fileOf("event"),
        GITHUB_OUTPUT: fileOf("output"),
        GITHUB_PATH: fileOf("path"),
        GITHUB_STEP_SUMMARY: fileOf("summary"),
        RUNNER_ARCH: "X64",
        RUNNER_OS: "Linux",
        RUNNER_TEMP: temporary,
        ...env,
      },
    });
    log += `${ran.all}\n`;
    if (ran.exitCode !== 0) return { exitCode: ran.exitCode, log, path: paths.join(":"), values };
    for (const [key, value] of Object.entries(await outputsIn(fileOf("output")))) {
      values[`steps.${step.id}.outputs.${key}`] = value;
    }
  }
  const path = (await readFile(fileOf("path"), "utf8")).trimEnd();
  return { exitCode: 0, log, path, values, summary: await readFile(fileOf("summary"), "utf8") };
}

base("action.yml pins every action to a commit, and names its version", ({ expect }) => {
  const used = [...text.matchAll(/\buses: *(.*)$/gm)].map(([, one]) => one);
  expect(used.length).toBeGreaterThan(0);
  for (const one of used) expect(one).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

describe("setup-sendctl", () => {
  test.for(["latest", version, `v${version}`])(
    "installs %s",
    async (wanted, { home, host, expect }) => {
      await publish(home, host);
      const ended = await runAction(home, host, { inputs: { version: wanted } });
      expect(ended.exitCode, ended.log).toBe(0);
      expect(ended.values["steps.find.outputs.version"]).toBe(version);
      expect((await execa(join(ended.path, "sendctl"), ["--version"])).stdout).toBe(version);
    },
  );

  test("uses what the cache has, and downloads it again if it was changed", async ({
    home,
    host,
    expect,
  }) => {
    await publish(home, host);
    await runAction(home, host, {});
    // What is in the folder of the runner is what a cache restores.
    const archive = host.files.get(`/releases/download/v${version}/${name}`)!;
    host.files.delete(`/releases/download/v${version}/${name}`);
    expect(await runAction(home, host, {})).toMatchObject({ exitCode: 0 });
    host.files.set(`/releases/download/v${version}/${name}`, archive);
    const ended = await runAction(home, host, { cached: "something else" });
    expect(ended.log).toContain(`::warning::${name} in the cache has another checksum`);
    expect(ended.exitCode).toBe(0);
  });

  test("does not use an archive with another checksum", async ({ home, host, expect }) => {
    const archive = await publish(home, host);
    const changed = Buffer.concat([archive, Buffer.from("more")]);
    host.files.set(`/releases/download/v${version}/${name}`, changed);
    const { exitCode, log, path } = await runAction(home, host, {});
    expect({ exitCode, path }).toStrictEqual({ exitCode: 1, path: "" });
    expect(log).toContain("::error::the checksum of ");
  });

  test.for([
    ["9.9.9", "download/v9.9.9/SHA256SUMS cannot be downloaded"],
    ["../0.1.0", '::error::invalid version "../0.1.0"'],
    ["", '::error::invalid version ""'],
  ] as const)("reports the version %s", async ([wanted, message], { home, host, expect }) => {
    await publish(home, host);
    const { exitCode, log } = await runAction(home, host, { inputs: { version: wanted } });
    expect(exitCode).toBe(1);
    expect(log).toContain(message);
  });

  test("reports a system without an executable", async ({ home, host, expect }) => {
    await publish(home, host);
    for (const env of [{ RUNNER_ARCH: "ARM" }, { RUNNER_ARCH: "ARM64" }, { RUNNER_OS: "Plan9" }]) {
      const { exitCode, log } = await runAction(home, host, { env });
      expect(exitCode).toBe(1);
      expect(log).toMatch(/::error::.*(?:no sendctl for|has no archive for linux-arm64)/);
    }
  });
});

describe("the comment of setup-sendctl", () => {
  const manifest = "groups:\n  - name: Customers\n";
  const comment = { comment: "sendctl.yaml" };
  const service = ["--port", "0", "--database", "service.db"];

  test("is created, updated, and leaves the comments of people alone", async ({
    home,
    host,
    serve,
    expect,
  }) => {
    await publish(home, host);
    await writeFile(join(home.folder, "sendctl.yaml"), manifest);
    const { client } = await serve(service);
    const first = await runAction(home, host, { inputs: comment, env: client });
    expect(first.exitCode, first.log).toBe(0);
    expect(first.values["steps.comment.outputs.differs"]).toBe("true");
    expect(first.summary).toContain("| create | group <code>Customers</code> |");
    expect(host.comments.map(({ body }) => body)).toStrictEqual([
      `<!-- setup-sendctl: sendctl.yaml -->\n**sendctl diff**\n\n${first.summary}`,
    ]);
    const [own] = host.comments;
    host.comments.unshift({ id: 9, user: { type: "User" }, body: own!.body });

    expect(await home.spawn(["group", "create", "Customers"], client)).toMatchObject({
      exitCode: 0,
    });
    const second = await runAction(home, host, { inputs: comment, env: client });
    expect(second.values["steps.comment.outputs.differs"], second.log).toBe("false");
    expect(host.comments).toHaveLength(2);
    expect(host.comments[0]!.body).toContain("| create |");
    expect(host.comments[1]!.body).toContain("No differences");
  });

  test("is not created if nothing differs", async ({ home, host, serve, expect }) => {
    await publish(home, host);
    await writeFile(join(home.folder, "sendctl.yaml"), "groups: []\n");
    const { client } = await serve(service);
    expect(await runAction(home, host, { inputs: comment, env: client })).toMatchObject({
      exitCode: 0,
    });
    expect(host.requests.map(({ method }) => method)).toStrictEqual(["GET"]);
  });

  test("needs a service, a key, a valid manifest and a pull request", async ({
    home,
    host,
    serve,
    expect,
  }) => {
    await publish(home, host);
    await writeFile(join(home.folder, "sendctl.yaml"), manifest);
    const { client } = await serve(service);
    const { SENDCTL_BASE_URL: url = "", SENDCTL_SECRET_KEY: key = "" } = client;
    for (const [job, message] of [
      [{ env: { SENDCTL_BASE_URL: url } }, "SENDCTL_SECRET_KEY is not set"],
      [{ env: { SENDCTL_SECRET_KEY: key } }, "SENDCTL_BASE_URL is not set"],
      [{ env: { ...client, SENDCTL_SECRET_KEY: "another" } }, "failed (exit code 3)"],
      [{ env: client, inputs: { "diff-options": "--nope" } }, "failed (exit code 2)"],
      [{ env: client, event: {} }, "works in jobs of the event pull_request"],
    ] as const) {
      const inputs = { ...comment, ...("inputs" in job ? job.inputs : {}) };
      const { exitCode, log } = await runAction(home, host, { ...job, inputs });
      expect(exitCode).toBeGreaterThan(0);
      expect(log).toContain(message);
    }
    expect(host.requests).toStrictEqual([]);
  });

  test("is short if GitHub would refuse it", async ({ home, host, serve, expect }) => {
    await publish(home, host);
    const names = Array.from({ length: 1500 }, (_, index) => `  - name: Customers ${index}\n`);
    await writeFile(join(home.folder, "sendctl.yaml"), `groups:\n${names.join("")}`);
    const { client } = await serve(service);
    const { exitCode, summary } = await runAction(home, host, { inputs: comment, env: client });
    expect(exitCode).toBe(0);
    expect(summary!.length).toBeGreaterThan(65_536);
    expect(host.comments[0]!.body).toContain("it is in the summary of the job");
  });

  test("cuts a summary that GitHub would refuse, and says so", async ({
    home,
    host,
    serve,
    expect,
  }) => {
    await publish(home, host);
    const groups = Array.from({ length: 600 }, (_, index) => ({
      name: `Customers ${index}`,
      birthday_message: "é-".repeat(400),
    }));
    await writeFile(join(home.folder, "sendctl.yaml"), JSON.stringify({ groups }));
    const { client } = await serve(service);
    const { exitCode, summary = "" } = await runAction(home, host, {
      inputs: comment,
      env: client,
    });
    expect(exitCode).toBe(0);
    expect(Buffer.byteLength(summary)).toBeLessThan(1024 * 1024);
    const [last, , cut] = summary.trimEnd().split("\n").slice(-3);
    expect(last).toMatch(/^\|.*\|$/);
    expect(cut).toBe(
      "Cut here, because GitHub shows at most 1 MiB: `sendctl diff` prints the rest.",
    );
  });

  test("needs node in PATH", async ({ home, host, expect }) => {
    await publish(home, host);
    const folder = join(home.folder, "no-node");
    await mkdir(folder);
    const programs = "bash cat chmod curl cut env grep gzip mkdir rm sh sha256sum tar".split(" ");
    for (const program of programs) {
      const { stdout } = await execa("which", [program]);
      await symlink(stdout, join(folder, program));
    }
    const { exitCode, log } = await runAction(home, host, {
      inputs: comment,
      env: { PATH: folder },
    });
    expect(exitCode, log).toBe(1);
    expect(log).toContain("::error::the input comment needs node in PATH");
  });
});
