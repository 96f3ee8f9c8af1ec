import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { send, groupNames, startRunning, type Running } from "./running-server.ts";
import { exchange, inChunks, parseResponses, postGroup } from "./raw-http.ts";

const friends = '{"name":"Friends"}';
const close = "Connection: close\r\n";

/** Runs a test against a server with the group Kin, and checks afterwards that it is unchanged. */
async function withKin(use: (running: Running) => Promise<readonly string[]>): Promise<void> {
  const running = await startRunning();
  expect((await send(running, "POST", "/v1/group", { body: { name: "Kin" } })).status).toBe(201);
  const added = await use(running);
  expect(await groupNames(running)).toEqual([...added.toReversed(), "Kin"]);
  expect(running.complaints).toEqual([]);
}

/** Returns a request line and headers. */
const head = (line: string, key: string, further = "") =>
  `${line}\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${further}\r\n`;

type Requests = Readonly<Record<string, (key: string) => string | Uint8Array>>;

/** Bytes that are not HTTP/1.1, or are ambiguous. */
const unreadable: Requests = {
  "random bytes": () => Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 131 + 128) % 256)),
  "a TLS greeting": () => Buffer.from("16030100c8010000c40303", "hex"),
  "an HTTP/2 preface": () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP/1.1 without a host": () => "GET /healthz HTTP/1.1\r\n\r\n",
  "two hosts": () => "GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
  "Transfer-Encoding in HTTP/1.0": (key) =>
    inChunks(postGroup(key, `12\r\n${friends}\r\n0\r\n\r\n`)).replace("HTTP/1.1", "HTTP/1.0"),
  "lines that end with only LF": (key) => head("GET /v1/group HTTP/1.1", key).replaceAll("\r", ""),
  "a chunk size that ends with only LF": (key) =>
    inChunks(postGroup(key, `12\n${friends}\r\n0\r\n\r\n`)),
  "an unknown method": (key) => head("FRIEND /v1/group HTTP/1.1", key),
  "a method in lower case": (key) => head("get /v1/group HTTP/1.1", key),
  "a space in the path": (key) => head("GET /v1/sender-id/A B HTTP/1.1", key),
  "NUL in the path": (key) => head("GET /v1/sender-id/A\0B HTTP/1.1", key),
  "a tab in the path": (key) => head("GET /v1/sender-id/A\tB HTTP/1.1", key),
  "ESC in the path": (key) => head("GET /v1/sender-id/\u001b[31m HTTP/1.1", key),
  "NUL in a header": (key) => head("GET /v1/group HTTP/1.1", key, "X: a\0b\r\n"),
  "a header without a colon": (key) => head("GET /v1/group HTTP/1.1", key, "X\r\n"),
  "a space before a colon": (key) => head("GET /v1/group HTTP/1.1", key, "X : a\r\n"),
  "a folded header": (key) => head("GET /v1/group HTTP/1.1", key, "X: a\r\n b\r\n"),
  "a bare CR in a header": (key) => head("GET /v1/group HTTP/1.1", key, "X: a\rY: b\r\n"),
  "Content-Length with Transfer-Encoding": (key) =>
    postGroup(key, `5\r\n${friends}`, "Transfer-Encoding: chunked\r\n"),
  "Transfer-Encoding with Content-Length": (key) =>
    head(
      "POST /v1/group HTTP/1.1",
      key,
      "Content-Type: application/json\r\nContent-Length: 22\r\nTransfer-Encoding: chunked\r\n",
    ) + '12\r\n{"name":"Friends"}\r\n0\r\n\r\n',
  "two Authorization headers": (key) => postGroup(key, friends, "authorization: Bearer other\r\n"),
  "two Content-Lengths": (key) => postGroup(key, friends, "Content-Length: 0\r\n"),
  "two values in one Content-Length": (key) =>
    postGroup(key, friends).replace("Length: 18", "Length: 18, 18"),
  "a negative Content-Length": (key) => postGroup(key, friends).replace("Length: 18", "Length: -1"),
  "a signed Content-Length": (key) => postGroup(key, friends).replace("Length: 18", "Length: +18"),
  "a Content-Length in hexadecimal": (key) =>
    postGroup(key, friends).replace("Length: 18", "Length: 0x12"),
  "a Content-Length beyond 64 bits": (key) =>
    postGroup(key, friends).replace("Length: 18", "Length: 18446744073709551634"),
  "Transfer-Encoding: chunked, identity": (key) =>
    inChunks(postGroup(key, friends)).replace("chunked", "chunked, identity"),
  "a chunk without a size": (key) => inChunks(postGroup(key, "xx\r\n{}\r\n0\r\n\r\n")),
};

const many = Array.from({ length: 2000 }, (_, index) => `X-${index}: value\r\n`).join("");

/** Headers over 16 KiB. */
const tooLong: Requests = {
  "a long header": (key) => head("GET /v1/group HTTP/1.1", key, `X: ${"x".repeat(20_000)}\r\n`),
  "a long path": (key) => head(`GET /v1/sender-id/${"x".repeat(20_000)} HTTP/1.1`, key),
  "many headers": (key) => head("GET /v1/group HTTP/1.1", key, many),
};

// The body of the response: ruling 2.
test.each([
  [400, unreadable],
  [431, tooLong],
])("%i and a closed connection", async (status, requests) => {
  await withKin(async ({ port, key }) => {
    for (const [what, bytesOf] of Object.entries(requests)) {
      const [response, ...more] = await exchange(port, bytesOf(key));
      expect([what, response?.status, more]).toEqual([what, status, []]);
      expect(response!.head, what).toMatch(/^Content-Type: application\/json$/im);
      expect(response!.head, what).toMatch(/^Connection: close$/im);
      expect(JSON.parse(response!.body), what).toMatchObject({ status: false, data: null });
    }
    return [];
  });
});

// Node treats a missing version, and three others, as HTTP/1.0, which is harmless.
test("requests of other versions get one response and a closed connection", async () => {
  await withKin(async ({ port, key }) => {
    const statuses = async (bytes: string) =>
      (await exchange(port, bytes)).map(({ status }) => status);
    expect(await statuses("GET /v1/group\r\n\r\n")).toEqual([401]);
    expect(await statuses(head("GET /v1/group", key))).toEqual([200]);
    expect(await statuses(head("GET /v1/group HTTP/1.0", key))).toEqual([200]);
    expect(await statuses("GET /healthz HTTP/3.0\r\n\r\n")).toEqual([400]);
    return [];
  });
});

test("no header is dropped, however many come before it", async () => {
  await withKin(async ({ port, key }) => {
    const request = postGroup(key, friends, `${"a:\r\n".repeat(2500)}${close}`);
    expect((await exchange(port, request)).map(({ status }) => status)).toEqual([201]);
    return ["Friends"];
  });
});

const elsewhere = [
  "//v1/group",
  "/v1//group",
  "/v1/../v1/group",
  "/v1/./group",
  "/v1/group/..",
  "/v1/group/../group",
  "/v1%2fgroup",
  "/%76%31/group",
  "/v1/group;x",
  "/v1/group#x",
  "\\v1\\group",
  "/v1\\group",
];

test("a target is not normalised", async () => {
  await withKin(async ({ port, key }) => {
    for (const target of [...elsewhere, "http://example.com", "http://example.com//v1/group"]) {
      const request = postGroup(key, friends, close).replace("/v1/group", () => target);
      const [response, ...more] = await exchange(port, request);
      expect([400, 404, 405], target).toContain(response!.status);
      expect(more, target).toEqual([]);
    }
    return [];
  });
});

// RFC 9112, 3.2.2: clients of a proxy send such targets.
test("a target in absolute form is accepted", async () => {
  await withKin(async ({ port, key }) => {
    const targets = [`http://127.0.0.1:${port}/v1/group`, "HTTPS://example.com/v1/group"];
    for (const target of targets) {
      const request = postGroup(key, friends, close).replace("/v1/group", () => target);
      expect((await exchange(port, request)).map(({ status }) => status)).toEqual([201]);
    }
    return ["Friends", "Friends"];
  });
});

test("non-ASCII bytes in a path find and delete nothing", async () => {
  await withKin(async (running) => {
    const { port, key } = running;
    // The two bytes of é in UTF-8, read as Latin-1, are the name of another sender ID.
    const body = { name: "Ã©", purpose: "Offers" };
    expect((await send(running, "POST", "/v1/sender-id", { body })).status).toBe(201);
    const path = Buffer.from("/v1/sender-id/é");
    for (const method of ["GET", "DELETE"]) {
      const [before, after] = head(`${method} ! HTTP/1.1`, key, close).split("!");
      const bytes = Buffer.concat([Buffer.from(before!), path, Buffer.from(after!)]);
      expect((await exchange(port, bytes)).map(({ status }) => status)).toEqual([400]);
    }
    expect((await send(running, "GET", "/v1/sender-id/%C3%83%C2%A9")).status).toBe(200);
    return [];
  });
});

test("upgrades and tunnels are refused", async () => {
  await withKin(async ({ port, key }) => {
    const upgrade = head(
      "GET /healthz HTTP/1.1",
      key,
      `Connection: upgrade, close\r\nUpgrade: websocket\r\n`,
    );
    expect((await exchange(port, upgrade)).map(({ status }) => status)).toEqual([200]);
    // Closing the connection without a response is fine, too.
    const tunnel = await exchange(port, head("CONNECT example.com:80 HTTP/1.1", key, close));
    expect(tunnel.filter(({ status }) => status < 400)).toEqual([]);
    return [];
  });
});

test("requests after one that closes the connection are not carried out", async () => {
  await withKin(async ({ port, key }) => {
    const hidden = postGroup(key, friends);
    const body = " ".repeat(70_000) + hidden;
    const responses = await exchange(port, postGroup(key, body) + hidden);
    expect(responses.map(({ status }) => status)).toEqual([413]);
    return [];
  });
});

test("the body of a GET or DELETE is not treated as a request", async () => {
  await withKin(async ({ port, key }) => {
    const hidden = postGroup(key, friends);
    const length = `Content-Length: ${hidden.length}\r\n`;
    const responses = await exchange(
      port,
      [
        head("GET /v1/group/1 HTTP/1.1", key, length) + hidden,
        head("DELETE /v1/group/9 HTTP/1.1", key, length) + hidden,
        head("GET /healthz HTTP/1.1", key, `${close}${length}`) + hidden,
      ].join(""),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 200]);
    return [];
  });
});

test("Expect: 100-continue gets 100, and then the response", async () => {
  await withKin(async ({ port, key }) => {
    const socket = connect(port, "127.0.0.1");
    const request = postGroup(key, friends, `${close}Expect: 100-continue\r\n`);
    socket.write(request.slice(0, -friends.length));
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(first.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(friends);
    expect(parseResponses(await text(socket))).toMatchObject([{ status: 201 }]);
    return ["Friends"];
  });
});

test("part of a request, then close: nothing is stored", async () => {
  await withKin(async (running) => {
    const request = postGroup(running.key, friends);
    const lengths = [1, 20, request.indexOf("\r\n\r\n") + 4, request.length - 1];
    const chunks = ["", "12\r\n", `12\r\n${friends}`, `12\r\n${friends}\r\n`];
    for (const part of [
      ...lengths.map((length) => request.slice(0, length)),
      ...chunks.map((chunk) => inChunks(postGroup(running.key, "")) + chunk),
    ]) {
      for (const leave of ["end", "destroy", "resetAndDestroy"] as const) {
        const socket = connect(running.port, "127.0.0.1")
          .resume()
          .on("error", () => {});
        socket.write(part);
        await once(socket, "connect");
        // After this response on another connection, the server has read the half request.
        expect(await groupNames(running)).toEqual(["Kin"]);
        socket[leave]();
        await once(socket, "close");
      }
    }
    return [];
  });
});

test("requests of clients that disconnect before the response are stored at most once", async () => {
  await withKin(async (running) => {
    const names = Array.from({ length: 20 }, (_, index) => `Gone ${index}`);
    for (const name of names) {
      const socket = connect(running.port, "127.0.0.1").on("error", () => {});
      await new Promise((sent) =>
        socket.write(postGroup(running.key, JSON.stringify({ name })), sent),
      );
      socket.destroy();
      await once(socket, "close");
    }
    // Each complete request may be carried out or not, but at most once, and nothing else may be stored.
    await send(running, "GET", "/healthz");
    const stored = (await groupNames(running)).slice(0, -1).toReversed();
    expect(names).toEqual(expect.arrayContaining(stored));
    expect(new Set(stored).size).toBe(stored.length);
    return stored;
  });
});
