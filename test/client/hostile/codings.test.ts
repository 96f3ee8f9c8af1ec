import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { describe, test } from "vitest";
import { answering, commands, envelope, group, scriptFor } from "../sample-responses.ts";
import { runAgainst } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const text = JSON.stringify(envelope(group));

/** Sends raw bytes as body. @param coding value of Content-Encoding */
const coded =
  (coding: string, body: Uint8Array, length = body.length): Script =>
  (_, { end }) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${length}\r\n\r\n`;
    end(Buffer.concat([Buffer.from(head), body]));
  };

describe("an encoded body", () => {
  test.for([
    ["gzip", gzipSync(text)],
    ["GZip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)],
    ["identity", Buffer.from(text)],
  ] as const)("is decoded: %s", async ([coding, body], { expect }) => {
    for (const args of [commands.GET, commands.PUT, commands.POST]) {
      const result = await runAgainst(coded(coding, body), [...args, "--json"]);
      expect(result, args.join(" ")).toMatchObject({ exitCode: 0, violations: [] });
      expect(JSON.parse(result.stdout)).toMatchObject({ data: group });
    }
  });

  test.for([
    ["not encoded", "gzip", Buffer.from(text), 10],
    ["not encoded", "br", Buffer.from(text), 10],
    ["unknown", "zstd", gzipSync(text), 10],
    ["truncated", "gzip", gzipSync(text).subarray(0, 40), 10],
  ] as const)("is an unexpected response: %s (%s)", async ([, coding, body, code], { expect }) => {
    const read = await runAgainst(coded(coding, body), commands.GET);
    expect(read).toMatchObject({ exitCode: code, waits: [], violations: [] });
    const created = await runAgainst(coded(coding, body), commands.POST);
    expect(created.exitCode).toBe(9);
    expect(created.requests.filter((line) => line.startsWith("POST"))).toHaveLength(1);
  });

  test.for([
    ["zstd", gzipSync(text), "sent a body with the unknown content coding zstd\n"],
    ["gzip, gzip", gzipSync(gzipSync(text)), "with more than one content coding: gzip, gzip\n"],
    ["deflate", Buffer.from(text), "sent a body that is not valid deflate: "],
  ] as const)("names the header that is wrong: %s", async ([coding, body, said], { expect }) => {
    const result = await runAgainst(coded(coding, body), commands.GET);
    expect(result).toMatchObject({ exitCode: 10, waits: [], violations: [] });
    expect(result.stderr).toContain(said);
    expect(result.stderr).toMatch(/hint: .*Content-Encoding/);
  });

  const long = JSON.stringify(envelope({ ...group, name: "x".repeat(2 ** 26) }));
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

  // What decodes gzip decodes deflate.
  test.for([
    ["gzip", () => gzipSync(long, { level: 1 })],
    ["br", () => brotliCompressSync(long, quick)],
    ["identity", () => Buffer.from(long)],
  ] as const)(
    "is rejected beyond 64 MiB, even if it is the service's: %s",
    async ([coding, encode], { expect }) => {
      const result = await runAgainst(coded(coding, encode()), commands.GET);
      expect(result).toMatchObject({ exitCode: 10, waits: [], violations: [] });
      expect(result.stderr).toContain("sent a body that exceeds 64 MiB");
      expect(result.received).toHaveLength(1);
    },
  );

  test("leaves the outcome of a write open beyond 64 MiB", async ({ expect }) => {
    for (const way of ["POST", "PUT", "DELETE"] as const) {
      const script = scriptFor(way, coded("gzip", gzipSync(long, { level: 1 })));
      const result = await runAgainst(script, commands[way]);
      expect(result, way).toMatchObject({ exitCode: 9, violations: [] });
      expect(result.stderr).toContain("exceeds 64 MiB. The request may have succeeded");
    }
  });

  test("that is cut short with its connection is retried", async ({ expect }) => {
    const body = gzipSync(text);
    const result = await runAgainst(coded("gzip", body, body.length + 10), commands.GET);
    expect(result).toMatchObject({ exitCode: 8, waits: [250, 500], violations: [] });
  });
});

const marked: Script = answering(200, `\uFEFF${text}`);

test("a byte order mark before JSON is ignored", async ({ expect }) => {
  for (const args of [commands.GET, commands.PUT, commands.POST]) {
    const result = await runAgainst(marked, [...args, "--json"]);
    expect(result, args.join(" ")).toMatchObject({ exitCode: 0, violations: [] });
  }
});
