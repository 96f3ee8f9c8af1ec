import { createConfig, lintFromString } from "@redocly/openapi-core";
import { openOverSocket } from "../../contract/transports.ts";
import { test } from "../../support/home.ts";

type Json = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

function statusesOf({ paths }: Json, method: string, path: string): string {
  return Object.keys(paths[path][method].responses).join(" ");
}

test("is served without a key, too, with the address of the server", async ({ home, expect }) => {
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

test("has the limits of texts for requests, and none for responses", async ({ home, expect }) => {
  const { stdout } = await home.run(["schema", "openapi"]);
  const { schemas } = (JSON.parse(stdout) as Json)["components"];
  for (const [sent, shown, field, limits] of [
    ["NewSenderId", "SenderId", "purpose", { minLength: 1, maxLength: 1000 }],
    ["NewGroup", "Group", "name", { minLength: 1, maxLength: 255 }],
    ["GroupUpdate", "Group", "name", { minLength: 1, maxLength: 255 }],
  ] as const) {
    expect(schemas[sent].properties[field], sent).toMatchObject(limits);
    expect(schemas[shown].properties[field], shown).not.toHaveProperty("maxLength");
  }
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

test("names the refusals of each operation", async ({ home, expect }) => {
  const { stdout } = await home.run(["schema", "openapi"]);
  const document = JSON.parse(stdout) as Json;
  const statuses = Object.entries(document["paths"] as Json).flatMap(([path, methods]) =>
    Object.keys(methods as Json).map((method) => [
      `${method} ${path}`,
      statusesOf(document, method, path),
    ]),
  );
  expect(Object.fromEntries(statuses)).toEqual({
    "post /v1/sender-id": "201 400 401 409 413 415 422 429 500 503",
    "get /v1/sender-id": "200 400 401 422 429 500 503",
    "get /v1/sender-id/{name}": "200 400 401 404 429 500 503",
    "delete /v1/sender-id/{name}": "200 400 401 404 429 500 503",
    "post /v1/group": "201 400 401 413 415 422 429 500 503",
    "get /v1/group": "200 400 401 422 429 500 503",
    "get /v1/group/{id}": "200 400 401 404 429 500 503",
    "put /v1/group/{id}": "200 400 401 404 413 415 422 429 500 503",
    "delete /v1/group/{id}": "200 400 401 404 429 500 503",
  });
});
