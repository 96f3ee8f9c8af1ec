import { createConfig, lintFromString } from "@redocly/openapi-core";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { ownBehaviour, type PartialBehaviour } from "../../../src/contract/behaviour.ts";
import { localServer, openApiDocument } from "../../../src/server/openapi/document.ts";
import { openOverSocket } from "../../contract/transports.ts";
import { anyBehaviour } from "../../engine/behaviour/arbitrary.ts";
import { cases } from "../../support/fuzz-runs.ts";
import { test } from "../../support/home.ts";

type Json = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

function documentOf(behaviour: PartialBehaviour): Json {
  return openApiDocument([localServer], { ...ownBehaviour, ...behaviour });
}

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

test("names the statuses of a behaviour", ({ expect }) => {
  const document = documentOf({
    create_status: 202,
    delete_status: 204,
    no_key_status: 403,
    not_found_status: 410,
    invalid_status: 400,
    taken_status: 422,
    group_name_unique: true,
    past_the_end: "refused",
  });
  expect(statusesOf(document, "post", "/v1/group")).toBe("202 400 401 403 413 415 422 429 500 503");
  expect(statusesOf(document, "get", "/v1/group")).toBe("200 400 401 403 410 429 500 503");
  expect(statusesOf(document, "delete", "/v1/group/{id}")).toBe("204 400 401 403 410 429 500 503");
  const { responses } = document["paths"]["/v1/group"].post;
  expect(responses[400].description).toMatch(/not valid JSON\. Or: Fields of the body/);
  expect(document["paths"]["/v1/group/{id}"].delete.responses[204]).toEqual({
    description: "Group deleted",
    headers: { "X-Request-Id": { $ref: "#/components/headers/RequestId" } },
  });
});

test("is printed for a behaviour file, whose errors are located", async ({ home, expect }) => {
  const command = ["schema", "openapi", "--behaviour", "b.yaml"];
  await writeFile(join(home.folder, "b.yaml"), "create_status: 202\n");
  const { exitCode, stdout, stderr } = await home.run(command);
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual(documentOf({ create_status: 202 }));
  await writeFile(join(home.folder, "b.yaml"), "create_status: 299\n");
  const wrong = await home.run(command);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stdout).toBe("");
  expect(wrong.stderr).toMatch(/^b\.yaml:1:16: /m);
});

test("with always_200, a response can be a refusal", ({ expect }) => {
  const document = documentOf({ error_status: "always_200" });
  expect(statusesOf(document, "post", "/v1/group")).toBe("200 201 500 503");
  expect(statusesOf(document, "get", "/v1/group")).toBe("200 500 503");
  const { schema } = document["paths"]["/v1/group"].get.responses[200].content["application/json"];
  expect(schema.anyOf[1]).toEqual({ $ref: "#/components/schemas/Refusal" });
});

test("has the limits, required fields and parameters of a behaviour", ({ expect }) => {
  const { components, paths } = documentOf({
    group_name_max: 60,
    birthday_message_max: 70,
    birthday_message_empty: "kept",
    group_create_requires: "every_field",
    group_update_requires: "name",
    sender_id_create_requires: "name",
    unknown_fields: "ignored",
    update_fields_in_create: "stored",
    null_in_update: "refused",
    per_page_default: 7,
    per_page_max: 50,
    page_parameter: "ignored",
  });
  const { NewGroup, GroupUpdate, NewSenderId } = components.schemas;
  expect(NewGroup.properties.name).toMatchObject({ minLength: 1, maxLength: 60 });
  expect(NewGroup.properties.birthday_message).toMatchObject({ minLength: 0, maxLength: 70 });
  expect(Object.keys(NewGroup.properties)).toContain("sender_id");
  expect(NewGroup.required).toEqual(["name", "send_birthday", "birthday_message"]);
  expect([GroupUpdate.required, NewSenderId.required]).toEqual([["name"], ["name"]]);
  expect(GroupUpdate.properties.send_holiday.type).toBe("boolean");
  expect(NewGroup.additionalProperties).toBe(true);
  expect(components.parameters.perPage.schema).toEqual({
    type: "integer",
    minimum: 1,
    maximum: 50,
    default: 7,
  });
  expect(paths["/v1/group"].get.parameters).toEqual([{ $ref: "#/components/parameters/perPage" }]);
});

test("any behaviour has a document without errors", async ({ expect }) => {
  const config = await createConfig({ extends: ["recommended"] });
  const property = fc.asyncProperty(anyBehaviour, async (behaviour) => {
    const source = JSON.stringify(documentOf(behaviour));
    const problems = await lintFromString({ source, config });
    // A service that sends every refusal with 200 has no 4xx response.
    const known = problems.filter(({ ruleId }) => ruleId !== "operation-4xx-response");
    expect(known.map(({ ruleId, message }) => [ruleId, message])).toEqual([]);
  });
  await fc.assert(property, cases(12));
});
