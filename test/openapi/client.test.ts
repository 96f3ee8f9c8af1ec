import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import createClient from "openapi-fetch";
import { expect, test } from "vitest";
import { test as atHome } from "../support/home.ts";
import { openOverSocket } from "../contract/ways.ts";
import type { paths } from "./client/schema.d.ts";

const client = join(import.meta.dirname, "client");

atHome("the client's types are those that the document generates", async ({ home, expect }) => {
  const { stdout } = await home.run(["schema", "openapi"]);
  const file = join(home.folder, "openapi.json");
  await writeFile(file, stdout);
  const generated = await execa("node", [join(client, "generate.mjs"), file]);
  expect(`${generated.stdout}\n`).toBe(await readFile(join(client, "schema.d.ts"), "utf8"));
});

test("a generated client runs the nine operations", async () => {
  const { baseUrl, keys, close } = await openOverSocket();
  const headers = { Authorization: `Bearer ${keys.owner}` };
  const { GET, POST, PUT, DELETE } = createClient<paths>({ baseUrl, headers });

  const body = { name: "ACME", purpose: "Order updates" };
  const senderId = await POST("/v1/sender-id", { body });
  expect(senderId.data?.data).toMatchObject({ ...body, status: "PENDING" });
  const senderIds = await GET("/v1/sender-id", { params: { query: { perPage: 5 } } });
  expect(senderIds.data?.data.data).toEqual([senderId.data!.data]);
  const named = { params: { path: { name: "ACME" } } };
  expect((await GET("/v1/sender-id/{name}", named)).data?.data).toEqual(senderId.data!.data);

  const group = await POST("/v1/group", { body: { name: "Customers" } });
  const path = { id: String(group.data!.data.id) };
  const changes = { send_holiday: true, sender_id: "ACME" };
  const updated = await PUT("/v1/group/{id}", { params: { path }, body: changes });
  expect(updated.data?.data).toEqual({ ...group.data!.data, send_holiday: true });
  expect((await GET("/v1/group/{id}", { params: { path } })).data).toMatchObject({
    data: updated.data!.data,
  });
  const groups = await GET("/v1/group");
  expect(groups.data?.data.data).toEqual([{ ...updated.data!.data, contacts_count: 0 }]);

  expect((await DELETE("/v1/group/{id}", { params: { path } })).data).toMatchObject({
    message: "Group deleted",
    data: null,
  });
  expect((await DELETE("/v1/sender-id/{name}", named)).data).toMatchObject({ data: null });
  const missing = await GET("/v1/sender-id/{name}", named);
  expect([missing.response.status, missing.error?.status]).toEqual([404, false]);
  const invalid = await POST("/v1/group", { body: { name: "" } });
  expect(Object.keys(invalid.error?.errors ?? {})).toEqual(["name"]);
  await close();
});
