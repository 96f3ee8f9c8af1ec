import { connect } from "node:net";
import { readFile, rm, writeFile } from "node:fs/promises";
import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { textOf } from "../../docs/markdown.ts";
import { describeOnPostgres } from "../../engine/postgres/postgres-database.ts";
import { makeHome } from "../../support/home.ts";
import { logLines, startServe } from "../../support/serving.ts";
import { inTime, until } from "../../support/waiting.ts";

/** Returns the fields in the table of docs/serve.md whose lines begin with a column of these names. */
function documented(columns: string): ReadonlyMap<string, string> {
  const lines = textOf("docs/serve.md").split("\n");
  const isHead = (line: string): boolean =>
    line.replaceAll(/[| ]+/g, " ").trim() === columns && line.startsWith("|");
  const rest = lines.slice(lines.findIndex(isHead) + 2);
  const rows = rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith("|")),
  );
  return new Map(
    rows.map((row) => {
      const [, field = "", present = ""] = row.split("|").map((cell) => cell.trim());
      return [field.replaceAll("`", ""), present];
    }),
  );
}

const requestFields = documented("field present contents");

/** Expects that every line has the documented fields only, and those that are always present. */
function expectDocumented(lines: readonly Record<string, unknown>[]): void {
  const always = [...requestFields].flatMap(([field, present]) =>
    present === "always" ? [field] : [],
  );
  for (const line of lines) {
    expect([...requestFields.keys()]).toEqual(expect.arrayContaining(Object.keys(line)));
    expect(Object.keys(line)).toEqual(expect.arrayContaining(always));
  }
}

/** Returns all fields of the lines of requests. */
function fieldsOf(lines: readonly Record<string, unknown>[]): string[] {
  return [...new Set(lines.flatMap((line) => Object.keys(line)))].toSorted();
}

async function serveWith(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = await makeHome();
  onTestFinished(() => rm(home.folder, { recursive: true, force: true }));
  const { serve, kill } = await startServe(home, ["--port", "0", ...args], env);
  onTestFinished(async () => void (await kill()));
  const ask = async (method: string, path: string, id: string, body?: string): Promise<number> => {
    const headers = {
      Authorization: `Bearer ${serve.key}`,
      "Content-Type": "application/json",
      "X-Request-Id": id,
    };
    const response = await fetch(`${serve.baseUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    await response.text();
    return response.status;
  };
  return { home, serve, ask };
}

describe("the log of serve", () => {
  test("has the fields that docs/serve.md lists, and no key or record", async () => {
    const { home, serve, ask } = await serveWith(["--fault", "group.fetch:status=418"]);
    const key = serve.key!;
    expect(await ask("POST", "/v1/group", "create-1", '{"name":"Confidential"}')).toBe(201);
    expect(await ask("GET", "/v1/group?page=1", "list-1")).toBe(200);
    expect(await ask("GET", "/v1/group/1", "fault-1")).toBe(418);
    expect(await ask("GET", `/v1/group?key=${key}`, key)).toBe(200);
    expect(await ask("GET", "/healthz", `health-${key}`)).toBe(200);
    for (const ending of ["", "-wal", "-shm"]) await rm(`${home.database}${ending}`);
    expect(await ask("POST", "/v1/group", "lost-1", '{"name":"Confidential"}')).toBe(503);
    const socket = connect(serve.port, "127.0.0.1");
    socket.end("not HTTP\r\n\r\n");
    for await (const _ of socket);
    const { stderr } = await serve.stop();
    const file = await readFile(`${home.database}.log`, "utf8");
    for (const text of [file, stderr]) {
      expect(text).not.toMatch(/Confidential|INSERT|SELECT/);
      expect(text).not.toContain(key.slice(4));
      const lines = logLines(text);
      expectDocumented(lines);
      expect(lines.map((line) => line["request_id"])).toMatchObject([
        "create-1",
        "list-1",
        "fault-1",
        expect.stringMatching(/-1$/),
        expect.stringMatching(/-2$/),
        "lost-1",
      ]);
      expect(lines.at(-1)).toMatchObject({
        status: 503,
        client: "127.0.0.1",
        operation: "group.create",
        cause: "replaced",
      });
    }
    // An error of the database without a code is the only one here.
    const [all, found] = [[...requestFields.keys()].toSorted(), fieldsOf(logLines(file))];
    expect(found).toEqual(all.filter((field) => field !== "code"));
    const shown = await home.run([
      "local",
      "log",
      "--query",
      "[?request_id=='lost-1'].cause | [0]",
    ]);
    expect(shown.stdout.trim()).toBe("replaced");
  });

  test("drops lines that nobody reads, and answers every request", async () => {
    const home = await makeHome();
    onTestFinished(() => rm(home.folder, { recursive: true, force: true }));
    await home.run(["group", "create", "Friends"]);
    // Removed, so that every request fails, and each has a line with its cause.
    await writeFile(
      `${home.folder}/flood.mjs`,
      `const failed = async () => (await fetch(process.argv[2] + "/healthz")).status;
       const all = [];
       for (let nth = 0; nth < 1000; nth += 1) all.push(await failed());
       console.log(all.every((status) => status === 503), all.length);`,
    );
    const script = `
      mkfifo errors; sleep 60 < errors & reader=$!
      coproc SERVE { exec "$NODE" "$LAUNCHER" serve --port 0 2> errors; }
      pid=$SERVE_PID
      IFS= read -r one <&"\${SERVE[0]}"; eval "$one"
      rm -f "$XDG_DATA_HOME/sendctl/sendctl.db"*
      "$NODE" flood.mjs "$SENDCTL_BASE_URL"
      kill "$pid"; wait "$pid"; echo "ended with $?"; kill $reader`;
    const { stdout } = await home.shell(script);
    expect(stdout).toBe("true 1000\nended with 0\n");
  });
});

describeOnPostgres((server) => {
  test("a 503 and an unknown outcome have the SQLSTATE, and a read that is repeated has none", async () => {
    const schema = "logged";
    const { serve, ask } = await serveWith([], { SENDCTL_DATABASE: server().url(schema) });
    const { port, user } = server();
    const client = new Client({ host: "127.0.0.1", port, user, database: "postgres" });
    client.on("error", () => {});
    await client.connect();
    onTestFinished(() => client.end().catch(() => {}));
    /** Ends what the server waits for a lock with, once it waits. */
    const endWaiting = async (by: "pg_cancel_backend" | "pg_terminate_backend"): Promise<void> => {
      await until("a statement waits for the lock", async () => {
        const { rows } = await client.query(
          `SELECT ${by}(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
    };
    const lock = `BEGIN; LOCK TABLE ${schema}.contact_group IN ACCESS EXCLUSIVE MODE`;

    await client.query(lock);
    const cancelled = ask("POST", "/v1/group", "cancelled", '{"name":"Confidential"}');
    await endWaiting("pg_cancel_backend");
    expect(await inTime("a cancelled write fails", cancelled)).toBe(503);

    for (const [method, id] of [
      ["GET", "read"],
      ["POST", "write"],
    ] as const) {
      const body = method === "POST" ? '{"name":"Confidential"}' : undefined;
      const ended = ask(method, "/v1/group", id, body).catch(() => "without a response");
      await endWaiting("pg_terminate_backend");
      await client.query("COMMIT");
      const outcome = method === "POST" ? "without a response" : 200;
      expect(await inTime(`the ${id} ends`, ended)).toBe(outcome);
      await client.query(lock);
    }
    await client.query("COMMIT");

    await client.query(`DROP TABLE ${schema}.contact_group CASCADE`);
    expect(await ask("GET", "/v1/group", "dropped")).toBe(503);
    await server().crash();
    expect(await ask("GET", "/v1/group", "stopped")).toBe(503);
    expect(await ask("GET", "/healthz", "unhealthy")).toBe(503);
    const { stderr } = await serve.stop();
    await server().start();

    expect(stderr).not.toMatch(/Confidential|INSERT|SELECT|LOCK TABLE/);
    const lines = logLines(stderr);
    expectDocumented(lines);
    const requests = Object.fromEntries(lines.map((line) => [line["request_id"], line]));
    expect(requests).toMatchObject({
      cancelled: {
        status: 503,
        cause: "locked",
        code: expect.stringMatching(/^(?:57014|55P03)$/),
        key_id: 1,
      },
      read: { status: 200 },
      write: { cause: "outcome_unknown", code: "57P01" },
      dropped: { status: 503, cause: "missing", code: "42P01", operation: "group.list" },
      stopped: { status: 503, cause: "unreachable", code: expect.stringMatching(/^[A-Z0-9]+$/) },
      unhealthy: { status: 503, cause: "unreachable", code: "ECONNREFUSED" },
    });
    expect(requests["read"]).not.toHaveProperty("cause");
    expect(fieldsOf(lines)).toContain("code");
  });
});
