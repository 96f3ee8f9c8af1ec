import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, test } from "vitest";
import { commands, envelope, group } from "../answers.ts";
import { meet } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const text = JSON.stringify(envelope(group));

/** Sends a body as it is. @param coding as Content-Encoding has it */
const coded =
  (coding: string, body: Uint8Array, length = body.length): Script =>
  (_, { end }) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${length}\r\n\r\n`;
    end(Buffer.concat([Buffer.from(head), body]));
  };

describe("a body in a coding", () => {
  test.for([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["GZip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)],
    ["identity", Buffer.from(text)],
  ] as const)("is read: %s", async ([coding, body], { expect }) => {
    for (const args of [commands.GET, commands.PUT, commands.POST]) {
      const met = await meet(coded(coding, body), [...args, "--json"]);
      expect(met, args.join(" ")).toMatchObject({ exitCode: 0, faults: [] });
      expect(JSON.parse(met.stdout)).toMatchObject({ data: group });
    }
  });

  const tooLong = gzipSync(Buffer.alloc(65 * 1024 * 1024, 32));
  test.for([
    ["not in it", "gzip", Buffer.from(text), 10],
    ["not in it", "br", Buffer.from(text), 10],
    ["unknown", "zstd", gzipSync(text), 10],
    ["cut off", "gzip", gzipSync(text).subarray(0, 40), 10],
    ["over 64 MiB once unpacked", "gzip", tooLong, 10],
  ] as const)("is an unexpected response: %s (%s)", async ([, coding, body, code], { expect }) => {
    const read = await meet(coded(coding, body), commands.GET);
    expect(read).toMatchObject({ exitCode: code, waits: [], faults: [] });
    const created = await meet(coded(coding, body), commands.POST);
    expect(created.exitCode).toBeOneOf([9, 10]);
    expect(created.asked.filter((line) => line.startsWith("POST"))).toHaveLength(1);
  });

  test("that breaks off with its connection is tried again", async ({ expect }) => {
    const body = gzipSync(text);
    const met = await meet(coded("gzip", body, body.length + 10), commands.GET);
    expect(met).toMatchObject({ exitCode: 8, waits: [250, 500], faults: [] });
  });
});

const marked: Script = (_, { answer }) => answer(200, `\uFEFF${text}`);

test("a byte order mark before JSON is ignored", async ({ expect }) => {
  for (const args of [commands.GET, commands.PUT, commands.POST]) {
    const met = await meet(marked, [...args, "--json"]);
    expect(met, args.join(" ")).toMatchObject({ exitCode: 0, faults: [] });
  }
});

test.for([408, 499])(
  "a gateway that gives up with HTTP %i leaves it open whether a write was done",
  async (status, { expect }) => {
    const gaveUp: Script = ({ method }, { answer }) =>
      method === "GET" ? answer(200, envelope(group)) : answer(status, "<html>Timeout</html>");
    for (const args of [commands.PUT, commands.POST, commands.DELETE]) {
      const met = await meet(gaveUp, args);
      expect(met, args.join(" ")).toMatchObject({ exitCode: 9, faults: [] });
      expect(met.asked.filter((line) => !line.startsWith("GET"))).toHaveLength(1);
    }
    const refused: Script = (_, { answer }) => answer(status, { status: false, message: "No" });
    expect(await meet(refused, commands.POST)).toMatchObject({ exitCode: 6, faults: [] });
  },
);

test.for([
  ["a switch of protocols", 101, ""],
  ["a redirect to what was made", 303, ""],
  ["JSON that is no envelope", 200, "[]"],
] as const)("%s leaves it open whether a write was done", async ([, status, body], { expect }) => {
  const script: Script = ({ method }, { answer }) =>
    method === "GET" ? answer(200, envelope(group)) : answer(status, body);
  for (const args of [commands.PUT, commands.POST, ["api", "POST", "/v1/group", "--body", "{}"]]) {
    const met = await meet(script, args);
    if (args[0] === "api" && status === 200) continue;
    expect(met.exitCode, args.join(" ")).toBeOneOf([9, 10]);
    expect(met.stderr).toContain("may have succeeded");
  }
});
