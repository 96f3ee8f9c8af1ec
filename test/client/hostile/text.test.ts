import { expect, test } from "vitest";
import { answering, commands, envelope, group } from "../sample-responses.ts";
import { runAgainst, unsafe } from "../run-remote.ts";

/** HTTP allows these bytes in a header. Some terminals treat 0x9b like ESC [. */
const headers = { "X-Colour": "\x9b31mred", "X-Turned": "\xe2\x80\xae evil", Location: "\x9b2J" };

test.for([200, 302, 404, 500])("headers of %i are escaped under --debug", async (status) => {
  for (const terminal of [{}, { terminal: 80 }]) {
    const args = [...commands.GET, "--debug"];
    const result = await runAgainst(answering(status, envelope(group), headers), args, terminal);
    expect(result.violations).toStrictEqual([]);
    expect(result.stderr.toLowerCase()).toContain(String.raw`x-colour: \u009b31mred`);
  }
});

test("a terminal gets no control characters of a body that is not JSON", async () => {
  const body =
    "<p>\u001b[2J\u001b[31mred\u0007\u009b1m\u202eevil\u2066\u061c\u0000\u007f\u2028\ud800";
  for (const args of [
    [...commands.GET, "--json"],
    ["api", "GET", "/v1/group", "--json"],
  ]) {
    const result = await runAgainst(answering(400, body), args, { terminal: 80 });
    expect(result.violations, args.join(" ")).toStrictEqual([]);
    expect(result.stdout.replaceAll("\n", "")).not.toMatch(unsafe);
  }
});
