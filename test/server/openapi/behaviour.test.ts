import { createConfig, lintFromString } from "@redocly/openapi-core";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ownBehaviour, type PartialBehaviour } from "../../../src/contract/behaviour.ts";
import { localServer, openApiDocument } from "../../../src/server/openapi/document.ts";
import { test as withHome } from "../../support/home.ts";
import { anyBehaviour } from "../../engine/behaviour/arbitrary.ts";

type Json = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

function documentOf(behaviour: PartialBehaviour): Json {
  return openApiDocument([localServer], { ...ownBehaviour, ...behaviour });
}

function statusesOf({ paths }: Json, method: string, path: string): string {
  return Object.keys(paths[path][method].responses).join(" ");
}

test("names the statuses of a behaviour", () => {
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

withHome("is printed for a behaviour file, whose errors are located", async ({ home, expect }) => {
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

test("with always_200, a response can be a refusal", () => {
  const document = documentOf({ error_status: "always_200" });
  expect(statusesOf(document, "post", "/v1/group")).toBe("200 201 500 503");
  expect(statusesOf(document, "get", "/v1/group")).toBe("200 500 503");
  const { schema } = document["paths"]["/v1/group"].get.responses[200].content["application/json"];
  expect(schema.anyOf[1]).toEqual({ $ref: "#/components/schemas/Refusal" });
});

test("has the limits, required fields and parameters of a behaviour", () => {
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

test("any behaviour has a document without errors", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const property = fc.asyncProperty(anyBehaviour, async (behaviour) => {
    const source = JSON.stringify(documentOf(behaviour));
    const problems = await lintFromString({ source, config });
    // A service that sends every refusal with 200 has no 4xx response.
    const known = problems.filter(({ ruleId }) => ruleId !== "operation-4xx-response");
    expect(known.map(({ ruleId, message }) => [ruleId, message])).toEqual([]);
  });
  await fc.assert(property, { numRuns: 25 });
});
