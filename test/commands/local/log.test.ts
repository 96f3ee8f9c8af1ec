import { appendFile, chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { describe } from "vitest";
import { type Home } from "../../support/home.ts";
import { logLines, test } from "../../support/serving.ts";
import { until } from "../../support/waiting.ts";

interface Entry {
  readonly time: string;
  readonly path: string;
  readonly [field: string]: unknown;
}

async function logged(home: Home, ...args: string[]): Promise<Entry[]> {
  const { stdout } = await home.run(["local", "log", "--json", ...args]);
  return (JSON.parse(stdout) as { data: { data: Entry[] } }).data.data;
}

async function ask(baseUrl: string, path: string, key?: string): Promise<number> {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const response = await fetch(`${baseUrl}${path}`, { headers });
  await response.text();
  return response.status;
}

function entry(nth: number): string {
  const time = new Date(1_800_000_000_000 + nth).toISOString();
  return JSON.stringify({ time, method: "GET", path: `/v1/group/${nth}`, status: 200, ms: 1.5 });
}

async function writeLog(home: Home, lines: readonly string[]): Promise<string> {
  await mkdir(dirname(home.database), { recursive: true });
  const file = `${home.database}.log`;
  await writeFile(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

function percent(text: string): string {
  return Buffer.from(text).toString("hex").replace(/../g, "%$&");
}

describe.concurrent("local log", () => {
  test("shows bodies if serve logs them, without the key and up to 8 KiB", async ({
    home,
    serveHere,
    expect,
  }) => {
    const { baseUrl, key, stop } = await serveHere(["--log-bodies"]);
    const escaped = key!.replace("s", "\\u0073");
    const long = "x".repeat(9000);
    for (const body of ['{"name":"Staff"}', `{"name":"${escaped}"}`, `{"name":"${long}"}`, key!]) {
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
      const response = await fetch(`${baseUrl}/v1/group`, { method: "POST", headers, body });
      await response.text();
    }
    const { stderr } = await stop();
    const entries = await logged(home);
    const [staff, withKey, cut, plain] = entries;
    expect(staff!["body"]).toBe('{"name":"Staff"}');
    expect(JSON.parse(staff!["response"] as string)).toMatchObject({ data: { name: "Staff" } });
    expect(withKey!["body"]).toBe('{"name":"[hidden]"}');
    expect((cut!["body"] as string).length).toBe(8 * 1024 + 1);
    expect(plain!["body"]).toBe("[hidden]");
    expect(JSON.stringify(entries) + stderr).not.toContain(key!.slice(6));
    expect(logLines(stderr)[0]).toMatchObject({ body: '{"name":"Staff"}' });

    const text = await home.run(["local", "log", "--lines", "3"]);
    expect(text.stdout).toContain('\n  > {"name":"[hidden]"}\n  < {"status":true');
  });

  test("shows the requests that serve answered, newest last", async ({
    home,
    serveHere,
    expect,
  }) => {
    const { baseUrl, key, stop } = await serveHere(["--fault", "group.fetch:status=503,times=1"]);
    await ask(baseUrl, "/v1/group?perPage=3", key);
    await ask(baseUrl, "/v1/group/7", key);
    await ask(baseUrl, "/v1/group");
    await ask(baseUrl, "/healthz?x=1");
    const { stderr } = await stop();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const common = {
      time,
      method: "GET",
      ms: expect.any(Number),
      fault: null,
      request_id: expect.stringMatching(/^\w+-\d+$/),
      client: "127.0.0.1",
      cause: null,
      code: null,
      body: null,
      response: null,
    };
    expect(await logged(home)).toStrictEqual([
      { ...common, path: "/v1/group?perPage=3", status: 200, operation: "group.list", key_id: 1 },
      {
        ...common,
        path: "/v1/group/7",
        status: 503,
        operation: "group.fetch",
        key_id: 1,
        fault: "group.fetch:status=503,times=1 (1 of 1)",
      },
      { ...common, path: "/v1/group", status: 401, operation: "group.list", key_id: null },
      { ...common, path: "/healthz?x=…", status: 200, operation: null, key_id: null },
    ]);
    expect(logLines(stderr).map(({ status }) => status)).toStrictEqual([200, 503, 401, 200]);
    expect((await stat(`${home.database}.log`)).mode & 0o777).toBe(0o600);

    const { exitCode, stdout, stderr: messages } = await home.run(["local", "log"]);
    expect({ exitCode, messages }).toStrictEqual({ exitCode: 0, messages: "" });
    const lines = stdout.split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(
      /^\S+Z {2}503 +[\d.]+ ms {2}key 1 {3}group\.fetch +GET {5}\/v1\/group\/7 · fault group\.fetch:status=503,times=1 \(1 of 1\)$/,
    );
    // The method column is aligned.
    expect(new Set(lines.slice(0, 4).map((line) => line.indexOf("GET"))).size).toBe(1);
  });

  test("never contains a key, in any part of a request or encoding", async ({
    home,
    serveHere,
    expect,
  }) => {
    const { baseUrl, port, key, stop } = await serveHere();
    const secret = key!;
    const forms = [secret, percent(secret), encodeURIComponent(JSON.stringify(secret))];
    for (const form of forms) {
      await ask(baseUrl, `/v1/group?key=${form}`, secret);
      await ask(baseUrl, `/v1/sender-id/${form}?again=${form}`, secret);
    }
    // The server cannot know the key of other requests, but it knows what its keys look like.
    for (const path of [`/v1/group?key=${secret}`, `/${secret}`]) {
      await ask(baseUrl, path);
      await ask(baseUrl, path, "another");
    }
    const socket = connect(port, "127.0.0.1");
    socket.end(`GET /v1/group?${secret} HTTP/1.1\r\nHost: x\r\n\r\n`);
    for await (const _ of socket);
    await ask(
      baseUrl,
      "/v1/group/3f3cbb1a-0a70-4d36-9a0c-9d1d5f0f1f7e?page=2&name=Desk_1&perPage=5&flag",
      secret,
    );
    const { stderr } = await stop();
    const file = await readFile(`${home.database}.log`, "utf8");
    const paths = (await logged(home)).map(({ path }) => path);
    expect(paths).toStrictEqual([
      ...forms.flatMap((form) => [
        "/v1/group?key=…",
        `/v1/sender-id/${form.startsWith("%22") ? "%22[hidden]%22" : "[hidden]"}?again=…`,
      ]),
      ...["/v1/group?key=…", "/[hidden]"].flatMap((path) => [path, path]),
      "/v1/group?…",
      "/v1/group/3f3cbb1a-0a70-4d36-9a0c-9d1d5f0f1f7e?page=2&name=…&perPage=5&…",
    ]);
    for (const text of [file, stderr]) expect(text).not.toContain(secret.slice(-12));
  });
});

/** Starts the command, and waits for its output. */
function startFollowing(home: Home, ...args: string[]) {
  const child = home.start(["local", "log", "--follow", ...args]);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
  const untilIn = (text: string, written: () => string): Promise<void> =>
    until(`${text} is written`, () => written().includes(text) || child.exitCode !== null);
  return {
    child,
    printed: (text: string) => untilIn(text, () => stdout),
    said: (text: string) => untilIn(text, () => stderr),
  };
}

describe.concurrent("local log --follow", () => {
  test("waits for the first request, follows a moved log, and exits with 130", async ({
    home,
    serveHere,
    expect,
  }) => {
    const { child, printed, said } = startFollowing(home, "-o", "json");
    await said("No requests to ");
    const { baseUrl, key } = await serveHere();
    await ask(baseUrl, "/v1/group/1", key);
    await printed("/v1/group/1");
    const file = `${home.database}.log`;
    await rename(file, `${file}.1`);
    await ask(baseUrl, "/v1/group/2", key);
    await printed("/v1/group/2");
    child.kill("SIGINT");
    const { exitCode, stdout, stderr } = await child;
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/^No requests to \S+ yet[^\n]*\n$/);
    const records = stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Entry);
    expect(records.map(({ path }) => path)).toStrictEqual(["/v1/group/1", "/v1/group/2"]);
    expect((await logged(home)).map(({ path }) => path)).toStrictEqual([
      "/v1/group/1",
      "/v1/group/2",
    ]);
  });

  test("prints a line for each request as a table, and refuses a query", async ({
    home,
    expect,
  }) => {
    const file = await writeLog(home, [entry(1)]);
    const { child, printed } = startFollowing(home);
    await printed("/v1/group/1\n");
    await appendFile(file, `${entry(2)}\n`);
    await printed("/v1/group/2\n");
    child.kill("SIGTERM");
    const { stdout } = await child;
    expect(stdout.split("\n")).toHaveLength(3);
    const refused = await home.run([
      "local",
      "log",
      "--follow",
      "-o",
      "json",
      "--query",
      "[].path",
    ]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('"usage"') });
    expect(refused.stderr).toContain("--query does not apply to an endless list");
  });

  test("starts with the last lines, and exits with 143 on SIGTERM", async ({ home, expect }) => {
    const file = await writeLog(home, [entry(1), entry(2), entry(3)]);
    const { child, printed } = startFollowing(home, "--lines", "1", "-o", "id");
    await printed("/v1/group/3\n");
    await appendFile(file, `${entry(4)}\n{"half`);
    await printed("/v1/group/4\n");
    child.kill("SIGTERM");
    const { exitCode, stdout, stderr } = await child;
    expect({ exitCode, stdout, stderr }).toStrictEqual({
      exitCode: 143,
      stdout: "/v1/group/3\n/v1/group/4\n",
      stderr: "",
    });
  });

  test("exits quietly when its pipe is closed", async ({ home, expect }) => {
    await writeLog(home, [entry(1)]);
    const script = `
      (while sleep 0.1; do echo '${entry(2)}' >> '${home.database}.log'; done) & more=$!
      sendctl local log --follow -o id | head -n 1
      echo "ended with \${PIPESTATUS[0]}"; kill $more`;
    const { stdout, stderr } = await home.shell(script);
    expect({ stdout, stderr }).toStrictEqual({
      stdout: "/v1/group/1\nended with 0\n",
      stderr: "",
    });
  });
});

describe.concurrent("a request log that cannot be written", () => {
  test("causes one warning, and requests are answered", async ({ home, serveHere, expect }) => {
    await mkdir(`${home.database}.log`, { recursive: true, mode: 0o700 });
    await chmod(dirname(home.database), 0o700);
    const { baseUrl, key, stop } = await serveHere();
    for (let nth = 0; nth < 3; nth += 1) expect(await ask(baseUrl, "/v1/group", key)).toBe(200);
    const { exitCode, stderr } = await stop();
    expect(exitCode).toBe(0);
    expect(stderr.match(/^Warning: .*$/gm)).toStrictEqual([
      expect.stringContaining(`${home.database}.log (E`),
    ]);
    expect(logLines(stderr)).toHaveLength(3);
  });

  test("causes no failed request on a full disk", async ({ home, expect }) => {
    // A file size limit simulates a full disk: the log exceeds it.
    await home.run(["group", "create", "Friends"]);
    const file = `${home.database}.log`;
    await writeFile(file, `${"x".repeat(2 * 1024 * 1024)}\n`);
    const script = `
      trap '' XFSZ; ulimit -f 2048
      coproc SERVE { exec "$NODE" "$LAUNCHER" serve --port 0 2> err; }
      pid=$SERVE_PID
      IFS= read -r one <&"\${SERVE[0]}"; eval "$one"
      IFS= read -r two <&"\${SERVE[0]}"; eval "$two"
      sendctl group list -o id && sendctl group fetch 1 -o id
      kill "$pid"; wait "$pid"; echo "ended with $?"; cat err >&2`;
    const { stdout, stderr } = await home.shell(script);
    expect(stdout).toBe("1\n1\nended with 0\n");
    expect(stderr.match(/^Warning: .*$/gm)).toHaveLength(1);
    expect((await stat(file)).size).toBe(2 * 1024 * 1024 + 1);
  });
});
