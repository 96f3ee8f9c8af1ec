import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { describeWhereInstalled } from "../support/describe-where-installed.ts";
import { errorOf, type Home } from "../support/home.ts";
import { startNginx, whyNoNginx } from "../support/nginx.mjs";
import { groupsOf, logLines, startServe, test } from "../support/serving.ts";
import { until } from "../support/waiting.ts";

type Server = Awaited<ReturnType<typeof startServe>>;

interface Response {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
}

/** Two servers over one database, behind nginx with docs/deploy/nginx.conf. */
interface Site {
  readonly servers: readonly [Server, Server];
  /** The environment of a client. */
  readonly client: Readonly<Record<string, string>>;
  /** Sends a request. Returns "closed" if the connection was closed without a response. */
  readonly send: (method: string, path: string, body?: object) => Promise<Response | "closed">;
}

/**
 * Starts both servers and nginx, until the end of the test.
 *
 * @param faults to inject into the first and the second server
 */
async function startSite(home: Home, faults: readonly [string[], string[]]): Promise<Site> {
  const start = async (own: readonly string[]): Promise<Server> => {
    const options = own.flatMap((fault) => ["--fault", fault]);
    const server = await startServe(home, ["--port", "0", ...options], {});
    onTestFinished(async () => void (await server.kill()));
    return server;
  };
  const servers = [await start(faults[0]), await start(faults[1])] as const;
  const nginx = await startNginx(home.folder, [servers[0].serve.port, servers[1].serve.port]);
  onTestFinished(nginx.stop);
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
  test("no request fails if one server cannot be reached, and without any nothing is done", async ({
    home,
    expect,
  }) => {
    const { servers, client, send } = await startSite(home, [[], []]);
    await servers[1].kill();
    // On a busy machine, nginx may only now notice that a connection which it keeps has ended. It sends no create again.
    await send("GET", "/v1/group");
    // Several rounds, because each server is tried first now and then.
    for (let round = 1; round <= 8; round += 1) {
      const created = (await send("POST", "/v1/group", { name: `${round}` })) as Response;
      const { id } = (created.body as { data: { id: number } }).data;
      const [read, create, update] = requests(id);
      for (const request of [read!, create!, update!]) {
        expect(await send(...request)).toMatchObject({ body: { status: true } });
      }
      // A delete is not sent to the other server, but the client is told that it may try again.
      const outcome = await home.run(["group", "delete", `${id}`, "--yes"], client);
      expect(outcome).toMatchObject({ exitCode: 0 });
    }
    expect(await groupsOf(home)).toHaveLength(8);
    await servers[0].kill();
    for (const request of requests(1)) {
      expect(await send(...request)).toMatchObject({ status: 503, retryAfter: "1", body: refused });
    }
    for (const args of ["create 1", "delete 1 --yes"]) {
      const words = ["group", ...args.split(" "), "--retries", "0", "--json"];
      const outcome = await home.run(words, client);
      expect([outcome.exitCode, errorOf(outcome).kind]).toEqual([8, "unavailable"]);
    }
  });

  test("a create and a delete are carried out once if their responses are lost", async ({
    home,
    expect,
  }) => {
    const faults = ["group.create:drop=after", "group.delete:drop=after"];
    const { servers, client, send } = await startSite(home, [faults, faults]);
    expect(await send("POST", "/v1/group", { name: "Raw" })).toBe("closed");
    const outcome = await home.run(["group", "create", "Staff", "--json"], client);
    expect([outcome.exitCode, errorOf(outcome).kind]).toEqual([9, "outcome_unknown"]);
    const groups = await groupsOf(home);
    expect(groups.map(({ name }) => name)).toEqual(["Staff", "Raw"]);
    expect(await send("DELETE", `/v1/group/${groups[0]!.id}`)).toBe("closed");
    expect((await groupsOf(home)).map(({ name }) => name)).toEqual(["Raw"]);
    const stopped = await Promise.all(servers.map(({ serve }) => serve.stop()));
    const lines = stopped.flatMap(({ stderr }) => logLines(stderr));
    const methods = lines.map(({ method }) => String(method)).toSorted();
    expect(methods.filter((method) => method !== "GET")).toEqual(["DELETE", "POST", "POST"]);
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

  test("a server gets a request as it was sent, with the address of the client", async ({
    home,
    expect,
  }) => {
    const server = createServer(({ method, url, headers }, response) => {
      const client = headers["x-forwarded-for"];
      response.end(JSON.stringify({ method, url, client, key: headers.authorization }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const own = (server.address() as AddressInfo).port;
    const { port, stop } = await startNginx(home.folder, [own, own]);
    onTestFinished(stop);
    const url = "/v1/sender-id/a%2Fb%20?page=1&x=%C3%A4";
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH"]) {
      const headers = { "X-Forwarded-For": "10.1.1.1", Authorization: "Bearer key" };
      const response = await fetch(`http://127.0.0.1:${port}${url}`, { method, headers });
      const client = "127.0.0.1";
      expect(await response.json()).toStrictEqual({ method, url, client, key: "Bearer key" });
    }
  });

  test("a body that is too long is refused by a server", async ({ home, expect }) => {
    const { send } = await startSite(home, [[], []]);
    const response = await send("POST", "/v1/group", { name: "x".repeat(70_000) });
    expect(response).toMatchObject({ status: 413, body: refused });
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
