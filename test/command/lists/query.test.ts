import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { envelope, group, page } from "../../client/sample-responses.ts";
import { runAgainst } from "../../client/run-remote.ts";

const list = ["group", "list"];

describe("--query", () => {
  test.for([
    ["json", '"12345678901234567890"'],
    ["jsonl", '"12345678901234567890"'],
    ["yaml", '"12345678901234567890"'],
    ["table", "12345678901234567890"],
  ] as const)(
    "preserves the digits of long numbers as %s",
    async ([format, expected], { expect }) => {
      const id = "12345678901234567890";
      const body = JSON.stringify(envelope(page([{ ...group, id: 0 }]))).replace(
        '"id":0',
        `"id":${id}`,
      );
      const { length } = body;
      const outcome = await runAgainst(
        (_, { raw }) => raw(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${body}`),
        [...list, "--query", "[0].id", "-o", format],
      );
      expect(outcome).toMatchObject({ exitCode: 0, stdout: `${expected}\n` });
    },
  );
});
