import { once } from "node:events";
import { describe, test } from "vitest";
import {
  answering,
  commands,
  envelope,
  group,
  page,
  scriptFor,
  senderId,
} from "../sample-responses.ts";
import { mayBeDone, runAgainst } from "../run-remote.ts";
import type { Conversation, Script } from "../scripted-service.ts";

const everyCommand = {
  ...commands,
  "GET a list": ["sender-id", "list"],
  "GET all of a list": ["group", "list", "--all"],
} as const;

/** Each command with and without --json. */
const everyWay: readonly (readonly string[])[] = Object.values(everyCommand).flatMap((args) => [
  args,
  [...args, "--json"],
]);

describe("a success that is not the service's", () => {
  test.for([
    ["a page of HTML", "<!doctype html><html><body>Welcome to our portal</body></html>"],
    ["nothing", ""],
    ["null", "null"],
    ["an array", "[]"],
    ["a string", '"status"'],
    ["a number", "1"],
    ["half an envelope", '{"status":true,"message":"Done"'],
    ["no data", '{"status":true,"message":"Done"}'],
    ["no message", '{"status":true,"data":{}}'],
    ["a status that is text", '{"status":"true","message":"Done","data":{}}'],
    ["two envelopes", JSON.stringify(envelope(group)).repeat(2)],
    // Each bracket would be a level of recursion.
    ["100,000 balanced brackets", "[".repeat(100_000) + "]".repeat(100_000)],
    ["100,000 unclosed braces", '{"a":'.repeat(100_000)],
    ["a long number in 100,000 brackets", `${"[".repeat(100_000)}12345678901234567890`],
  ] as const)("is reported: %s", async ([form, body], { expect }) => {
    for (const args of everyWay) {
      // A delete needs no more than this: quirks.test.ts.
      if (args.includes("delete") && ["nothing", "no data", "no message"].includes(form)) continue;
      const result = await runAgainst(answering(200, body), args);
      // A create whose response shows no record may have been carried out, so it is looked up.
      const [exitCode, kind, requests] = args.includes("create")
        ? [9, "outcome_unknown", 2]
        : [10, "unexpected_response", 1];
      expect(result, args.join(" ")).toMatchObject({ exitCode, waits: [], violations: [] });
      expect(result.received, args.join(" ")).toHaveLength(requests);
      expect(result.stderr).toContain("127.0.0.1");
      if (!args.includes("--json")) expect(result.stdout).toBe("");
      else expect(JSON.parse(result.stdout)).toMatchObject({ error: { kind } });
    }
  });

  test.for([null, [], "text", 1, true])(
    "is reported: a record that is %j",
    async (data, { expect }) => {
      for (const args of [commands.GET, commands.PUT, commands.POST, ["sender-id", "get", "A"]]) {
        const result = await runAgainst(answering(200, envelope(data)), args);
        // The list, which is this response, too, has no record.
        const isNothing = data === null || Array.isArray(data);
        const exitCode = args === commands.POST ? 9 : isNothing ? 4 : 10;
        expect(result, args.join(" ")).toMatchObject({ exitCode, stdout: "", violations: [] });
      }
    },
  );

  test("is not reported as an empty list if the total is 0 but there are records", async ({
    expect,
  }) => {
    const list = everyCommand["GET a list"];
    const none = await runAgainst(answering(200, envelope(page([]))), list);
    const some = await runAgainst(answering(200, envelope(page([senderId], { total: 0 }))), list);
    expect(none.stderr).not.toBe("");
    expect(some.stderr).not.toContain(none.stderr.trim());
    expect(some.stdout).toContain("ACME");
  });
});

describe("a response that is not HTTP", () => {
  test.for([
    ["another protocol", "SSH-2.0-OpenSSH_9.7\r\n"],
    ["text", "hello\r\n\r\n"],
    ["bytes", Uint8Array.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])],
    ["an invalid status", "HTTP/1.1 abc OK\r\n\r\n"],
    ["conflicting lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"],
    ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"],
    ["an escape sequence in a header", "HTTP/1.1 200 OK\r\nX-Name: \x1b[31mred\r\n\r\n"],
    ["headers that are too long", `HTTP/1.1 200 OK\r\nX-Name: ${"x".repeat(100_000)}\r\n\r\n`],
  ] as const)("is reported without retries: %s", async ([, bytes], { expect }) => {
    for (const json of [[], ["--json"], ["--debug"]]) {
      const args: readonly string[] = [...commands.GET, ...json];
      const result = await runAgainst((_, { end }) => end(bytes), args);
      expect(result, args.join(" ")).toMatchObject({ exitCode: 10, waits: [], violations: [] });
      expect(result.received).toHaveLength(1);
    }
    const created = await runAgainst((_, { end }) => end(bytes), commands.POST);
    expect(created).toMatchObject({ exitCode: 9, violations: [] });
    expect(created.stderr).toMatch(mayBeDone);
    expect(created.requests.filter((line) => line.startsWith("POST"))).toHaveLength(1);
  });

  test("includes a switch to another protocol", async ({ expect }) => {
    const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: tea\r\nConnection: upgrade\r\n\r\n";
    const args = [...commands.GET, "--timeout", "500ms", "--retries", "0"];
    const result = await runAgainst((_, { raw }) => raw(head), args);
    // A client that waited for more would time out with exit code 8.
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
  });
});

describe("a wrong Content-Length", () => {
  const text = JSON.stringify(envelope(group));

  test("that is too short leaves a truncated envelope", async ({ expect }) => {
    const bytes = `HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${text}`;
    for (const args of [commands.GET, [...commands.GET, "--json"]]) {
      const result = await runAgainst((_, { raw }) => raw(bytes), args);
      expect(result, args.join(" ")).toMatchObject({ exitCode: 10, violations: [] });
      expect(result.received).toHaveLength(1);
    }
    const created = await runAgainst((_, { raw }) => raw(bytes), commands.POST);
    expect(created).toMatchObject({ exitCode: 9, violations: [] });
  });

  test("followed by surplus bytes is not a lost response", async ({ expect }) => {
    const bytes = `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}\0\0surplus`;
    const result = await runAgainst((_, { raw }) => raw(bytes), commands.GET);
    expect([0, 10]).toContain(result.exitCode);
    expect(result).toMatchObject({ waits: [], violations: [] });
  });
});

describe("an endless body", () => {
  const mebibyte = Buffer.alloc(1024 * 1024, " ");

  /** Sends data until the client stops reading. */
  const endless =
    (head: string, count: { sent: number }): Script =>
    (_, { socket, raw }: Conversation) => {
      const send = async (): Promise<void> => {
        raw(`HTTP/1.1 200 OK\r\n${head}\r\n`);
        while (socket.writable && count.sent < 200) {
          count.sent += 1;
          if (!socket.write(mebibyte)) await once(socket, "drain").catch(() => {});
        }
      };
      socket.on("close", () => socket.emit("drain"));
      void send();
    };

  test.for([
    ["without a length", "Connection: close\r\n"],
    ["with a length", `Content-Length: ${200 * mebibyte.length}\r\n`],
  ] as const)("is rejected: %s", async ([, head], { expect }) => {
    const count = { sent: 0 };
    const result = await runAgainst(endless(head, count), [...commands.GET, "--json"]);
    expect(result).toMatchObject({ exitCode: 10, waits: [], violations: [] });
    expect(result.received).toHaveLength(1);
    expect(result.stderr).toContain("64 MiB");
    // More is sent than read, because some of it is buffered in between.
    expect(count.sent).toBeLessThan(100);
  });
});

describe("a success status", () => {
  test.for([200, 201, 202, 203, 206, 299])("%i is accepted", async (status, { expect }) => {
    for (const args of [commands.GET, commands.PUT, commands.POST]) {
      const result = await runAgainst(answering(status, envelope(group)), [...args, "--json"]);
      expect(result, args.join(" ")).toMatchObject({ exitCode: 0, violations: [] });
      expect(JSON.parse(result.stdout)).toStrictEqual(envelope(group));
    }
    const result = await runAgainst(
      scriptFor("DELETE", answering(status, envelope(null, "Group deleted"))),
      commands.DELETE,
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: "", violations: [] });
    expect(result.stderr).toContain("Group Customers (id 12) deleted");
  });

  test("204 is unexpected if a record was promised", async ({ expect }) => {
    for (const args of [commands.GET, commands.PUT, everyCommand["GET a list"]]) {
      const result = await runAgainst(answering(204), [...args, "--json"]);
      expect(result, args.join(" ")).toMatchObject({ exitCode: 10, violations: [] });
    }
    const created = await runAgainst(answering(204), [...commands.POST, "--json"]);
    expect(created).toMatchObject({ exitCode: 9, violations: [] });
  });
});

describe("unspecified fields and values", () => {
  const odd = {
    ...senderId,
    status: "ON_HOLD",
    carrier: "Telco & Sons",
    tags: ["a", { b: 1 }],
    score: 0.5,
  };

  test("are shown in tables, and unchanged as JSON with those of the envelope", async ({
    expect,
  }) => {
    const fetch = ["sender-id", "fetch", "ACME"];
    const { stdout } = await runAgainst(answering(200, envelope(odd)), fetch);
    for (const text of ["ON_HOLD", "carrier", "Telco & Sons", "tags", '["a",{"b":1}]', "0.5"]) {
      expect(stdout).toContain(text);
    }
    const body = { ...envelope(odd), trace: "4711" };
    const json = await runAgainst(answering(200, body), [...fetch, "--json"]);
    expect(JSON.parse(json.stdout)).toStrictEqual(body);
    const list = await runAgainst(answering(200, envelope(page([odd]))), ["sender-id", "list"]);
    expect(list).toMatchObject({ exitCode: 0, violations: [] });
    expect(list.stdout).toContain("ON_HOLD");
  });

  test.for([
    ["null", null],
    ["an object", { code: 1 }],
    ["an object without toString", { toString: null, valueOf: null }],
    ["an array of such objects", [{ toString: 1 }]],
    ["true", true],
  ] as const)("are accepted instead of text: %s", async ([, value], { expect }) => {
    const record = Object.fromEntries(Object.keys(senderId).map((field) => [field, value]));
    for (const args of [
      ["sender-id", "fetch", "ACME"],
      ["sender-id", "list"],
    ]) {
      // A record without the name that was asked for may be another one.
      const data = args[1] === "list" ? page([record]) : { ...record, name: "ACME" };
      const result = await runAgainst(answering(200, envelope(data)), args);
      expect(result, args.join(" ")).toMatchObject({ exitCode: 0, violations: [] });
      expect(result.stdout).not.toContain("[object Object]");
    }
  });

  test("do no harm if named like properties of Object.prototype", async ({ expect }) => {
    const body = `{"status":true,"message":"Done","data":{"id":12,"__proto__":{"id":8},
      "constructor":"C","hasOwnProperty":"H","long":12345678901234567890}}`;
    const result = await runAgainst(answering(200, body), commands.GET);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(result.stdout).toMatch(/^constructor\s+C$/m);
    expect(result.stdout).toMatch(/^hasOwnProperty\s+H$/m);
  });
});

describe("a redirect", () => {
  test.for([301, 302, 303, 307, 308])(
    "with %i is reported, not followed",
    async (status, { expect }) => {
      for (const args of [...everyWay, ["api", "GET", "/v1/group"]]) {
        // The target of the redirect is also a service, which must not get a request.
        const result = await runAgainst(({ target, headers }, { respond }) => {
          const elsewhere = `http://localhost:${headers["host"]!.split(":")[1]}/elsewhere${target}`;
          respond(status, "<html>", { Location: elsewhere });
        }, args);
        // 303 leads to the result of a write: RFC 9110, part 15.4.4. A create is then looked up.
        const isUnknown = status === 303 && args.includes("create");
        const [exitCode, requests] = isUnknown ? [9, 2] : [10, 1];
        expect(result, args.join(" ")).toMatchObject({ exitCode, waits: [], violations: [] });
        expect(result.received, args.join(" ")).toHaveLength(requests);
        expect(result.stderr, args.join(" ")).toMatch(/http:\/\/localhost:\d+\/elsewhere/);
      }
    },
  );

  test("with 303 leaves the outcome of every write unknown", async ({ expect }) => {
    const post = ["api", "POST", "/v1/group", "--body", "{}"];
    for (const args of [...Object.values(commands).slice(1), post]) {
      const result = await runAgainst(({ method }, { respond }) => {
        if (method === "GET") respond(200, envelope(group));
        else respond(303, "", { Location: "/v1/group/13" });
      }, args);
      expect(result, args.join(" ")).toMatchObject({ exitCode: 9, violations: [] });
      expect(result.stderr).toMatch(/redirects to http:.*\/v1\/group\/13 .*may have succeeded/);
    }
  });

  test.for([
    ["https://new.example/api/v1/group/12", "https://new.example/api"],
    ["//new.example/v1/group/12", "http://new.example/v1/group/12", ""],
    ["/api/v1/group/12?from=%2Fv1", "{base}/api"],
    ["../../api/v1/group/12", "{base}/api"],
    [
      "https://new.example/it's;echo%20$(id)/v1/group/12",
      "'https://new.example/it'\\''s;echo%20$(id)'",
    ],
    ["https://new.example/#/v1/group/12", "https://new.example/#/v1/group/12", ""],
    ["https://user:secret@new.example/api/v1/group/12", "https://new.example/api"],
    // The base URL in use, one without a service, and addresses that no base URL can lead to.
    ["/v1/group/12/", "{base}/v1/group/12/", ""],
    ["", "{base}/v1/group/12", ""],
    ["/login?next=%2Fv1", "{base}/login?next=%2Fv1", ""],
    ["https://user:secret@new.example/login", "https://new.example/login", ""],
    ["http://new.example/v1/group/12", "http://new.example/v1/group/12", ""],
    ["ftp://new.example/v1/group/12", "ftp://new.example/v1/group/12", ""],
    ["::::", "{base}/v1/group/::::", ""],
    ["https://[/v1/", "redirects (HTTP 308)", ""],
  ] as const)("to %s names %s", async ([location, shown, hinted = shown], { expect }) => {
    let base = "";
    const result = await runAgainst(({ headers }, { respond }) => {
      base = `http://${headers["host"]}`;
      respond(308, "", { Location: location });
    }, commands.GET);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
    const [message = "", hint = ""] = result.stderr.split("\nhint: if you trust it, pass ");
    expect(message).toContain(
      shown
        .replace(/^'(.*)'$/, "$1")
        .replace("{base}", base)
        .replace("'\\''", "'"),
    );
    expect(hint.trim()).toBe(hinted === "" ? "" : `--base-url ${hinted.replace("{base}", base)}`);
    expect(result.stderr).not.toContain("secret");
  });

  test.for([
    ["without a target", {}],
    ["to control characters", { Location: "https://new.example/\x9b31m" }],
  ] as const)("%s is reported", async ([, headers], { expect }) => {
    const result = await runAgainst(answering(302, "", headers), commands.GET);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
    expect(result.stderr).toContain("302");
  });
});
