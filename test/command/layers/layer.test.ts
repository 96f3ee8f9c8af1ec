import { expect, test } from "vitest";
import {
  createProtection,
  throughLayers,
  type Call,
  type Layer,
} from "../../../src/command/layers/layer.ts";
import type { Settings } from "../../../src/config/settings.ts";
import { serviceOf, type Reply } from "../../../src/contract/service.ts";

const reply: Reply = { status: 200, text: "", envelope: undefined };

/** An endpoint that notes what reaches it. */
function noted(notes: string[]) {
  return {
    service: serviceOf((name) => async () => {
      notes.push(name);
      return reply;
    }),
    send: async ({ method, path }: { readonly method: string; readonly path: string }) => {
      notes.push(`${method} ${path}`);
      return reply;
    },
  };
}

const noting =
  (notes: string[], name: string): Layer =>
  async (_, next) => {
    notes.push(`before ${name}`);
    const given = await next();
    notes.push(`after ${name}`);
    return given;
  };

const around = (middle: string) => ["before one", "before two", middle, "after two", "after one"];

const reading: Layer = async ({ fetch }, next) => {
  await fetch();
  return next();
};

test("an operation and a raw request pass the layers in their order", async () => {
  const notes: string[] = [];
  const layers = [noting(notes, "one"), noting(notes, "two")];
  const { service, send } = throughLayers(noted(notes), layers);
  expect(await service["group.fetch"]({ path: { id: "1" } })).toBe(reply);
  expect(notes.splice(0)).toEqual(around("group.fetch"));
  await send({ method: "GET", path: "/v1/group", body: undefined });
  expect(notes).toEqual(around("GET /v1/group"));
});

test("a layer can end a call, and knows it as a request", async () => {
  const notes: string[] = [];
  const calls: Call[] = [];
  const ending: Layer = async (call) => {
    calls.push(call);
    return { ...reply, status: 418 };
  };
  const { service, send } = throughLayers(noted(notes), [ending]);
  const updated = await service["group.update"]({ path: { id: "7" }, body: { name: "New" } });
  expect(updated).toMatchObject({ status: 418 });
  await send({ method: "PUT", path: "/v1/group/7?x=1", body: "{}" });
  expect(notes).toEqual([]);
  expect(calls.map((call) => call.request())).toEqual([
    { method: "PUT", path: "/v1/group/7", body: '{"name":"New"}' },
    { method: "PUT", path: "/v1/group/7?x=1", body: "{}" },
  ]);
});

test("a layer can read the record that a call changes", async () => {
  const notes: string[] = [];
  const { service, send } = throughLayers(noted(notes), [reading]);
  await service["sender-id.delete"]({ path: { name: "ACME" } });
  await send({ method: "DELETE", path: "/v1/group/7", body: undefined });
  expect(notes).toEqual([
    "sender-id.fetch",
    "sender-id.delete",
    "GET /v1/group/7",
    "DELETE /v1/group/7",
  ]);
});

test("no write passes the protection of a command that declares no change", async () => {
  const notes: string[] = [];
  const { service } = throughLayers(noted(notes), [createProtection({} as Settings).layer]);
  await service["group.fetch"]({ path: { id: "7" } });
  await expect(service["group.delete"]({ path: { id: "7" } })).rejects.toThrow("does not declare");
  expect(notes).toEqual(["group.fetch"]);
});
