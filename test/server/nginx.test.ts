import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach } from "vitest";
import { describeWhereInstalled } from "../support/describe-where-installed.ts";
import { errorOf, type Home } from "../support/home.ts";
import { startNginx, whyNoNginx } from "../support/nginx.mjs";
import { groupsOf, startServe, test } from "../support/serving.ts";
import { until } from "../support/waiting.ts";

type Server = Awaited<ReturnType<typeof startServe>>;

interface Response {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
}

/** Two servers over one database, behind nginx with the configuration of docs/deploy.md. */
interface Site {
  readonly servers: readonly [Server, Server];
  /** The environment of a client. */
  readonly client: Readonly<Record<string, string>>;
  /** Sends a request. Returns "closed" if the connection was closed without a response. */
  readonly send: (method: string, path: string, body?: object) => Promise<Response | "closed">;
}

let open: (() => PromiseLike<unknown>)[] = [];

beforeEach(() => {
  open = [];
  return async () => {
    for (const close of open) await close();
  };
});

/** @param faults of the first and the second server */
async function startSite(home: Home, faults: readonly [string[], string[]]): Promise<Site> {
  const start = async (own: readonly string[]): Promise<Server> => {
    const options = own.flatMap((fault) => ["--fault", fault]);
    const server = await startServe(home, ["--port", "0", ...options], {});
    open.push(server.kill);
    return server;
  };
  const servers = [await start(faults[0]), await start(faults[1])] as const;
  const nginx = await startNginx(home.folder, [servers[0].serve.port, servers[1].serve.port]);
  open.push(nginx.stop);
  const baseUrl = `http://127.0.0.1:${nginx.port}`;
  const key = servers[0].serve.key!;
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return {
    servers,
    client: { SENDCTL_BASE_URL: baseUrl, SENDCTL_SECRET_KEY: key },
    send: async (method, path, body) => {
      const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${baseUrl}${path}`, request).catch(() => undefined);
      if (response === undefined) return "closed";
      const { status } = response;
      const retryAfter = response.headers.get("retry-after");
      return { status, retryAfter, body: JSON.parse(await response.text()) as unknown };
    },
  };
}

/** One request of each method, for a group that exists. */
const requests = (id: number): readonly [string, string, object?][] => [
  ["GET", `/v1/group/${id}`],
  ["POST", "/v1/group", { name: "Another" }],
  ["PUT", `/v1/group/${id}`, { name: "Renamed" }],
  ["DELETE", `/v1/group/${id}`],
];

const refused = { status: false, data: null };
const nginx = { name: "nginx", whyMissing: whyNoNginx, debianPackage: "nginx-light" };

describeWhereInstalled(nginx, "behind nginx as documented,", () => {
  test("nothing was done if no server can be reached", async ({ home, expect }) => {
    const { servers, client, send } = await startSite(home, [[], []]);
    await Promise.all(servers.map(({ kill }) => kill()));
    for (const request of requests(1)) {
      expect(await send(...request)).toMatchObject({ status: 503, retryAfter: "1", body: refused });
    }
    for (const command of ["create", "delete"]) {
      const args = ["group", command, "1", "--yes", "--retries", "0", "--json"];
      const outcome = await home.run(command === "create" ? args.toSpliced(3, 1) : args, client);
      expect([outcome.exitCode, errorOf(outcome).kind]).toEqual([8, "unavailable"]);
    }
  });

  test("no request fails if one server cannot be reached", async ({ home, expect }) => {
    const { servers, send } = await startSite(home, [[], []]);
    await servers[1].kill();
    // Several rounds, because each server is tried first now and then.
    for (let round = 1; round <= 8; round += 1) {
      const created = (await send("POST", "/v1/group", { name: `${round}` })) as Response;
      const { id } = (created.body as { data: { id: number } }).data;
      for (const request of requests(id)) {
        expect(await send(...request)).toMatchObject({ body: { status: true } });
      }
    }
    expect(await groupsOf(home)).toHaveLength(8);
  });

  test("a create is carried out once if its response is lost", async ({ home, expect }) => {
    const faults = ["group.create:drop=after"];
    const { client, send } = await startSite(home, [faults, faults]);
    expect(await send("POST", "/v1/group", { name: "Raw" })).toBe("closed");
    const outcome = await home.run(["group", "create", "Staff", "--json"], client);
    expect(outcome.exitCode).toBe(0);
    expect((await groupsOf(home)).map(({ name }) => name)).toEqual(["Staff", "Raw"]);
  });

  test("the outcome of a create that a server received is unknown if the server is killed", async ({
    home,
    expect,
  }) => {
    const { servers, client } = await startSite(home, [["group.create:latency=1h"], []]);
    await servers[1].kill();
    const created = home.run(["group", "create", "Staff", "--json"], client);
    await until("the group exists", async () => (await groupsOf(home)).length === 1);
    await servers[0].kill();
    const outcome = await created;
    expect([outcome.exitCode, errorOf(outcome).kind]).toEqual([9, "outcome_unknown"]);
  });

  test("a delete is not repeated if its response is lost", async ({ home, expect }) => {
    const faults = ["group.delete:drop=after"];
    const { send } = await startSite(home, [faults, faults]);
    await home.run(["group", "create", "Staff"]);
    const [group] = await groupsOf(home);
    expect(await send("DELETE", `/v1/group/${group!.id}`)).toBe("closed");
    expect(await groupsOf(home)).toEqual([]);
  });

  test("the other server gets reads and updates whose response is lost", async ({
    home,
    expect,
  }) => {
    const faults = ["group.*:drop=after,times=1"];
    const { send } = await startSite(home, [faults, []]);
    await home.run(["group", "create", "Staff"]);
    const [group] = await groupsOf(home);
    const [read, , update] = requests(group!.id);
    // The fault of the first server has been injected after the second of these requests.
    for (const request of [read!, update!, update!]) {
      expect(await send(...request)).toMatchObject({ status: 200 });
    }
  });

  test("a refusal arrives unchanged", async ({ home, expect }) => {
    const faults = ["*:status=503,retry-after=7"];
    const { send } = await startSite(home, [faults, faults]);
    for (const request of requests(1)) {
      expect(await send(...request)).toMatchObject({ status: 503, retryAfter: "7", body: refused });
    }
  });

  test("a body that is too long is refused like by a server", async ({ home, expect }) => {
    const { servers, send } = await startSite(home, [[], []]);
    const direct = await fetch(`${servers[0].serve.baseUrl}/v1/group`, {
      method: "POST",
      headers: { Authorization: `Bearer ${servers[0].serve.key!}` },
      body: "x".repeat(70_000),
    });
    const { status, body } = (await send("POST", "/v1/group", {
      name: "x".repeat(70_000),
    })) as Response;
    expect([status, body]).toEqual([direct.status, await direct.json()]);
  });

  test("requests to a server that is frozen for some time are carried out", async ({
    home,
    expect,
  }) => {
    const { servers, send } = await startSite(home, [[], []]);
    for (const { freeze } of servers) freeze();
    const created = Array.from({ length: 4 }, (_, number) =>
      send("POST", "/v1/group", { name: `${number}` }),
    );
    // Longer than nginx waits for a connection.
    await sleep(1500);
    for (const { thaw } of servers) thaw();
    expect(await Promise.all(created)).toMatchObject(created.map(() => ({ status: 201 })));
    expect(await groupsOf(home)).toHaveLength(4);
  });
});
