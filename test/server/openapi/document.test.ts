import { createConfig, lintFromString } from "@redocly/openapi-core";
import { openOverSocket } from "../../contract/transports.ts";
import { test } from "../../support/home.ts";

type Json = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

test("the OpenAPI document is served without a key, too, with the address of the server", async ({
  home,
  expect,
}) => {
  const { baseUrl, close } = await openOverSocket();
  const response = await fetch(`${baseUrl}/openapi.json`);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "application/json",
  ]);
  const served = (await response.json()) as Json;
  await close();
  const { stdout } = await home.run(["schema", "openapi"]);
  const printed = JSON.parse(stdout) as Json;
  expect(served["servers"]).toEqual([{ url: "/", description: "This server" }]);
  expect({ ...served, servers: printed["servers"] }).toEqual(printed);
});

/** Rules that `recommended-strict` leaves out. */
const more = [
  "info-contact",
  "info-license-strict",
  "no-invalid-parameter-examples",
  "no-invalid-schema-examples",
  "no-required-schema-properties-undefined",
  "no-unused-components",
  "operation-description",
  "operation-singular-tag",
  "operation-tag-defined",
  "spec-strict-refs",
  "tag-description",
];

test("passes the rules of Redocly without a warning", async ({ home, expect }) => {
  const { stdout } = await home.run(["schema", "openapi"]);
  const rules = Object.fromEntries(more.map((rule) => [rule, "error" as const]));
  const config = await createConfig({ extends: ["recommended-strict"], rules });
  const found = async (source: string): Promise<readonly string[]> =>
    (await lintFromString({ source, config })).map(
      ({ ruleId, message }) => `${ruleId}: ${message}`,
    );
  expect(await found(stdout)).toEqual([]);
  for (const [name, wrong, rule] of [
    ['"operationId"', '"x-operation-id"', "operation-operationId"],
    ['"tags"', '"x-tags"', "operation-tag-defined"],
    ['"example": "ACME"', '"example": 1', "no-invalid-parameter-examples"],
  ] as const) {
    expect(await found(stdout.replaceAll(name, wrong))).toContainEqual(
      expect.stringContaining(rule),
    );
  }
});
