import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { describe } from "vitest";
import { startService } from "../../../src/testing/testing.ts";
import { expectRefusals } from "../../support/home.ts";
import { test } from "../../support/serving.ts";

const folder = join(import.meta.dirname, "../../support/certificates");
const pem = (name: string): string => join(folder, `${name}.pem`);

/** Returns the status of a request with this authority. */
function statusOf(url: string, key: string, ca: string, options = {}): Promise<number | string> {
  return new Promise((resolve) => {
    const given = { ca: readFileSync(ca), headers: { Authorization: `Bearer ${key}` }, ...options };
    request(`${url}/v1/group`, { ...given, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .end();
  });
}

describe("serve with a certificate", () => {
  test.for([
    ["local", "local-key", "127.0.0.1"],
    ["name", "name-key", "localhost"],
  ] as const)("serves HTTPS: %s", async ([cert, key, host], { home, serve, expect }) => {
    const server = await serve(["--temporary", "--tls-cert", pem(cert), "--tls-key", pem(key)]);
    expect(server.baseUrl).toBe(`https://${host}:${server.port}`);
    expect(server.stdout()).toContain(`export NODE_EXTRA_CA_CERTS=${pem(cert)}\n`);
    expect(await statusOf(server.baseUrl, server.key!, pem(cert))).toBe(200);
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1" };
    expect(await statusOf(server.baseUrl, server.key!, pem(cert), old)).not.toBe(200);
    const client = { ...server.client, NODE_EXTRA_CA_CERTS: pem(cert) };
    const created = await home.spawn(["group", "create", "Friends"], client);
    expect(created).toMatchObject({ exitCode: 0 });
    expect(await server.stop()).toMatchObject({ exitCode: 0 });
  });

  test("warns if the certificate is for another host", async ({ serve }) => {
    const files = ["--tls-cert", pem("other-host"), "--tls-key", pem("name-key")];
    const server = await serve(["--temporary", ...files]);
    await server.said(
      "Warning: the certificate is for sms.example.com, not for 127.0.0.1: clients refuse it",
    );
  });

  test.for(["utf8", "utf16le"] as const)(
    "serves a file with a byte order mark: %s",
    async (encoding, { home, serve, expect }) => {
      const marked = (name: string): string => {
        const file = join(home.folder, `${name}.pem`);
        writeFileSync(file, `\ufeff${readFileSync(pem(name), "utf8")}`, encoding);
        return file;
      };
      const files = ["--tls-cert", marked("local"), "--tls-key", marked("local-key")];
      const server = await serve(["--temporary", ...files]);
      expect(await statusOf(server.baseUrl, server.key!, pem("local"))).toBe(200);
    },
  );

  test.for([
    [
      "issued",
      "clients trust the certificate only with that of its authority, Test authority: add",
    ],
    ["without-names", "the certificate lacks a subject alternative name: clients may refuse it"],
    ["expired-authority", "by that of Expired authority, which expired on 2021-01-01: clients may"],
  ] as const)("says what is wrong with %s", async ([name, says], { serve }) => {
    const files = ["--tls-cert", pem(name), "--tls-key", pem("issued-key")];
    const server = await serve(["--temporary", ...files]);
    await server.said(says);
  });

  test("has the authority at the end of its chain trusted, in no other place", async ({
    home,
    serve,
    expect,
  }) => {
    const [first, second] = ["issued", "authority"].map((name) => readFileSync(pem(name), "utf8"));
    const file = (name: string, parts: readonly (string | undefined)[]): string => {
      writeFileSync(join(home.folder, name), parts.join(""));
      return join(home.folder, name);
    };
    const key = ["--tls-key", pem("issued-key")];
    const chain = file("chain.pem", [first, second]);
    const server = await serve(["--temporary", "--tls-cert", chain, ...key]);
    expect(server.stdout()).toContain(`export NODE_EXTRA_CA_CERTS=${chain}\n`);
    expect(await statusOf(server.baseUrl, server.key!, pem("authority"))).toBe(200);
    const turned = file("turned.pem", [second, first]);
    await expectRefusals(expect, home, "serve --temporary --port 0", [
      [["--tls-cert", turned, ...key], 2, "has the certificate of the key after others"],
    ]);
    const other = readFileSync(pem("local"), "utf8");
    const unordered = await serve([
      "--temporary",
      "--tls-cert",
      file("o.pem", [first, other]),
      ...key,
    ]);
    await unordered.said("is followed by that of sendctl test, but was issued by Test authority");
  });

  test("refuses files that cannot be used", async ({ home, expect }) => {
    const tls = (cert: string, key: string): string[] => [
      "--tls-cert",
      pem(cert),
      "--tls-key",
      pem(key),
    ];
    await expectRefusals(expect, home, "serve --temporary --port 0", [
      [["--tls-cert", pem("local")], 2, "missing required option --tls-key"],
      [["--tls-key", pem("local-key")], 2, "missing required option --tls-cert"],
      [tls("none", "local-key"), 2, "none.pem does not exist"],
      [tls("local-key", "local-key"), 2, "is not a certificate in PEM"],
      [tls("local", "local"), 2, "is not a private key in PEM"],
      [tls("local", "name-key"), 2, /name-key.pem does not fit --tls-cert .*local.pem/],
      [tls("name", "name-key-with-passphrase"), 2, "has a passphrase"],
      [tls("expired", "name-key"), 2, /expired.pem expired on \d{4}-\d\d-\d\d/],
    ]);
  });

  test("is in the file of a background service, and in the variables of local run", async ({
    home,
    expect,
  }) => {
    const tls = `--tls-cert ${pem("local")} --tls-key ${pem("local-key")}`;
    const ran = await home.shell(`
      sendctl local start --write-env a.env ${tls} >/dev/null
      (set -a; . ./a.env; sendctl group create A >/dev/null && echo "$SENDCTL_BASE_URL" | cut -c1-18)
      sendctl local stop
      sendctl local run ${tls} -- sh -c 'echo "$SENDCTL_BASE_URL" | cut -c1-18; basename "$NODE_EXTRA_CA_CERTS"'`);
    expect(ran.stdout).toBe("https://127.0.0.1:\nhttps://127.0.0.1:\nlocal.pem\n");
  });

  test("is trusted by the command of local run in addition to the user's authorities", async ({
    home,
    expect,
  }) => {
    const tls = `--tls-cert ${pem("local")} --tls-key ${pem("local-key")}`;
    const run = `local run ${tls} -- sh -c 'cat "$NODE_EXTRA_CA_CERTS"; "$NODE" "$LAUNCHER" group list -o id'`;
    const ran = await home.shell(`export NODE_EXTRA_CA_CERTS=${pem("authority")}; sendctl ${run}`);
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining("Warning") });
    for (const name of ["authority", "local"]) {
      expect(ran.stdout).toContain(readFileSync(pem(name), "utf8").trim());
    }
  });
});

describe("startService with a certificate", () => {
  test("serves HTTPS", async ({ expect }) => {
    const cert = readFileSync(pem("name"));
    const key = readFileSync(pem("name-key"), "utf8");
    await using service = await startService({ tls: { cert, key } });
    expect(service.url).toMatch(/^https:\/\/localhost:/);
    expect(await statusOf(service.url, service.key, pem("name"))).toBe(200);
  });

  test("names what is wrong", async ({ expect }) => {
    const key = readFileSync(pem("local-key"), "utf8");
    await expect(startService({ tls: { cert: 1, key } })).rejects.toMatchObject({
      field: "tls.cert",
    });
    const cert = readFileSync(pem("name"), "utf8");
    await expect(startService({ tls: { cert, key } })).rejects.toMatchObject({
      field: "tls.key",
      message: expect.stringContaining("tls.key does not fit tls.cert"),
    });
  });
});
