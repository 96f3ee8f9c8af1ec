import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe } from "vitest";
import { test } from "../../support/serving.ts";

function hasCurl(): boolean {
  try {
    execFileSync("curl", ["--version"]);
    return true;
  } catch {
    return false;
  }
}

/** Names with characters that are special in a shell, curl, JSON or a URL. */
const hostile = [
  `O'Neil "the" boss`,
  "$(touch ran) `touch ran` $HOME ${HOME}",
  "back\\slash \\n \\' end\\",
  "a;b|c&d>e<f*g?h[1-3]{x,y}~!#%41",
  "@file",
  "-x --next",
  "🎉 Ünïcödé 日本語 👩‍👩‍👧",
  "../../v1/group",
  "a/b?c=d&e=f",
  "''''",
];
const purpose = `First line\n\tsecond 'line' of "it"\n\n$SENDCTL_SECRET_KEY \`id\` 🎉\\\n`;

/** Every operation with its arguments, in order: later ones depend on earlier ones. */
const operations: readonly (readonly string[])[] = [
  ...hostile.flatMap((name) => [
    ["sender-id", "create", "--purpose", purpose, "--", name],
    ["sender-id", "fetch", "--", name],
  ]),
  ["sender-id", "create", "Plain", "--purpose", "Offers"],
  ["sender-id", "create", "Plain", "--purpose", "Offers"],
  ["sender-id", "create", "Plain", "--purpose", "Offers", "--if-not-exists"],
  ["sender-id", "list"],
  ["sender-id", "list", "--per-page", "3", "--page", "2"],
  ["sender-id", "delete", "--yes", "--", hostile[0]!],
  ["sender-id", "delete", "--", hostile[1]!],
  ...hostile.map((name) => [
    "group",
    "create",
    "--send-birthday",
    `--birthday-message=${name}`,
    "--",
    name,
  ]),
  ["group", "create", "Plain"],
  ["group", "create", "No", "--no-send-birthday"],
  ["group", "list"],
  ["group", "list", "--per-page=2"],
  ["group", "fetch", "1"],
  ["group", "fetch", "99999"],
  ["group", "update", "1", `--name=${hostile[0]}`, "--send-holiday", "--no-send-birthday"],
  ["group", "update", "2", "--clear-birthday-message", "--sender-id", hostile[2]!],
  ["group", "update", "3", "--clear-sender-id"],
  ["group", "delete", "4"],
  ["group", "delete", "5", "--yes"],
  ["api", "GET", "/v1/group?perPage=1&page=2"],
  ["api", "GET", "/v1/sender-id/%5B1-3%5D"],
  ["api", "GET", "/v1/sender-id/[1-3]{a,b}'$HOME"],
  ["api", "GET", "/v1/../v1/group"],
  ["api", "GET", "/v1/nothing/"],
  ["api", "POST", "/v1/group", "--body", `{"name":"It's \\"raw\\" $HOME @x"}`],
  ["api", "POST", "/v1/group", "--body", "@/etc/hostname"],
  ["api", "POST", "/v1/group", "--body", ""],
  ["api", "POST", "/v1/group"],
  ["api", "PUT", "/v1/group/6", "--body", "{}"],
  ["api", "DELETE", "/v1/group/6"],
  ["api", "PATCH", "/v1/group/6", "--body", "{}"],
  ["api", "OPTIONS", "/v1/group"],
];

/** Times and uuids, which differ between databases. */
const chance = /\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}/g;

function parsed(text: string): unknown {
  return text === "" ? "" : JSON.parse(text.replaceAll(chance, "chance"));
}

/** Removes the error object that sendctl adds to refusals. */
function withoutError(response: unknown): unknown {
  if (typeof response !== "object") return response;
  const { error: _, ...body } = response as { readonly error?: unknown };
  return body;
}

/** Adds --yes to a delete, because nothing can confirm it here. */
function confirmed(args: readonly string[]): readonly string[] {
  const isAsked = args[1] === "delete" && !args.includes("--yes");
  return isAsked ? [args[0]!, "delete", "--yes", ...args.slice(2)] : args;
}

/** Returns a shell script that runs a curl command with the key in the environment. */
function withKey(key: string | undefined, curl: string): string {
  return `export SENDCTL_SECRET_KEY='${key}'\n${curl} --silent --show-error --max-time 20`;
}

describe("the curl command of --dry-run", () => {
  test.runIf(hasCurl())(
    "has the same effect in a shell as the command (skipped without curl)",
    async ({ home, serveHere, expect }) => {
      // One service gets the curl commands, the other the sendctl commands.
      const forCurl = await serveHere(["--database", "curl.db"]);
      const forCommands = await serveHere(["--database", "commands.db"]);
      const shown = await Promise.all(
        operations.map((args) =>
          home.run(["-q", "--dry-run", "--base-url", forCurl.baseUrl, ...args]),
        ),
      );
      for (const [index, args] of operations.entries()) {
        const { exitCode, stdout, stderr } = shown[index]!;
        expect({ args, exitCode, stderr }).toStrictEqual({ args, exitCode: 0, stderr: "" });
        const byCurl = await home.shell(withKey(forCurl.key, stdout.trimEnd()));
        const format = args[0] === "api" ? [] : ["--json"];
        const direct = await home.run([...format, ...confirmed(args)], forCommands.client);
        // A command with a lookup sends more than one request; its effect is compared below.
        const isOne = !args.includes("--if-not-exists");
        expect({
          args,
          exitCode: byCurl.exitCode,
          stderr: byCurl.stderr,
          response: isOne && parsed(byCurl.stdout),
        }).toStrictEqual({
          args,
          exitCode: 0,
          stderr: "",
          response: isOne && withoutError(parsed(direct.stdout)),
        });
      }
      expect(existsSync(`${home.folder}/ran`)).toBe(false);
      const [left, right] = await Promise.all(
        [forCurl, forCommands].map(async ({ client }) => {
          const lists = ["/v1/group?perPage=1000", "/v1/sender-id?perPage=1000"].map((path) =>
            home.run(["api", "GET", path], client),
          );
          return (await Promise.all(lists)).map(({ stdout }) => parsed(stdout));
        }),
      );
      expect(left).toStrictEqual(right);
      expect(left).toMatchObject([{ status: true }, { data: { total: hostile.length - 1 } }]);
    },
  );

  test.runIf(hasCurl())(
    "works for HEAD (skipped without curl)",
    async ({ home, serveHere, expect }) => {
      const { baseUrl, key } = await serveHere();
      const args = ["api", "HEAD", "/v1/group", "--dry-run", "--base-url", baseUrl];
      const shown = await home.run(args);
      const { exitCode, stderr } = await home.shell(withKey(key, shown.stdout.trimEnd()));
      expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    },
  );
});
