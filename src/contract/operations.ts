import type { resources } from "./resources.ts";

/**
 * The nine operations of the service. Inputs, requests, routes, response checks and the OpenAPI
 * document are derived from this table.
 *
 * Methods, paths, fields and messages are those of the interface (docs/behaviour.md). It leaves the
 * success statuses open: ruling 1 sets them for the engine, and a service may respond with any 2xx.
 */

/** One operation of the service. `{name}` or `{id}` in `path` is a path parameter. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly status: 200 | 201;
  readonly message: string;
  /** The resource of its body and records. */
  readonly resource: keyof typeof resources;
  readonly query?: readonly string[];
  /** Whether its body has the create fields or the update fields of the resource. */
  readonly body?: "create" | "update";
  /** Kind of `data` in its response; null for "nothing". */
  readonly returns: "record" | "page" | "nothing";
}

const page = ["perPage", "page"] as const;

export const operations = {
  "sender-id.create": {
    method: "POST",
    path: "/v1/sender-id",
    status: 201,
    message: "Sender Id created",
    resource: "sender-id",
    body: "create",
    returns: "record",
  },
  "sender-id.list": {
    method: "GET",
    path: "/v1/sender-id",
    status: 200,
    message: "Sender Ids retrieved",
    resource: "sender-id",
    query: page,
    returns: "page",
  },
  "sender-id.fetch": {
    method: "GET",
    path: "/v1/sender-id/{name}",
    status: 200,
    message: "Sender retrieved",
    resource: "sender-id",
    returns: "record",
  },
  "sender-id.delete": {
    method: "DELETE",
    path: "/v1/sender-id/{name}",
    status: 200,
    message: "Sender deleted",
    resource: "sender-id",
    returns: "nothing",
  },
  "group.create": {
    method: "POST",
    path: "/v1/group",
    status: 201,
    message: "Group created",
    resource: "group",
    body: "create",
    returns: "record",
  },
  "group.list": {
    method: "GET",
    path: "/v1/group",
    status: 200,
    message: "Groups retrieved",
    resource: "group",
    query: page,
    returns: "page",
  },
  "group.fetch": {
    method: "GET",
    path: "/v1/group/{id}",
    status: 200,
    message: "Group retrieved",
    resource: "group",
    returns: "record",
  },
  "group.update": {
    method: "PUT",
    path: "/v1/group/{id}",
    status: 200,
    message: "Group updated",
    resource: "group",
    body: "update",
    returns: "record",
  },
  "group.delete": {
    method: "DELETE",
    path: "/v1/group/{id}",
    status: 200,
    message: "Group deleted",
    resource: "group",
    returns: "nothing",
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
