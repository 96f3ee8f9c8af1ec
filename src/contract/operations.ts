/**
 * The nine operations of the service, as data: the one table that the engine answers from, and that
 * whatever carries an operation over HTTP reads its requests and routes from.
 *
 * Methods, paths, fields and messages: specification, parts 1 and 4. Success statuses are not shown
 * there; ruling 1 sets them for the engine. A remote service may answer with any 2xx.
 */

/** JSON type of a member of a request body. */
type FieldType = "string" | "boolean";

/** One operation of the service. `{name}` or `{id}` in `path` is the one path parameter. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly status: 200 | 201;
  readonly message: string;
  readonly query?: readonly string[];
  readonly body?: Readonly<Record<string, FieldType>>;
}

const page = ["perPage", "page"] as const;

export const operations = {
  "sender-id.create": {
    method: "POST",
    path: "/v1/sender-id",
    status: 201,
    message: "Sender Id created",
    body: { name: "string", purpose: "string" },
  },
  "sender-id.list": {
    method: "GET",
    path: "/v1/sender-id",
    status: 200,
    message: "Sender Ids retrieved",
    query: page,
  },
  "sender-id.fetch": {
    method: "GET",
    path: "/v1/sender-id/{name}",
    status: 200,
    message: "Sender retrieved",
  },
  "sender-id.delete": {
    method: "DELETE",
    path: "/v1/sender-id/{name}",
    status: 200,
    message: "Sender deleted",
  },
  "group.create": {
    method: "POST",
    path: "/v1/group",
    status: 201,
    message: "Group created",
    body: { name: "string", send_birthday: "boolean", birthday_message: "string" },
  },
  "group.list": {
    method: "GET",
    path: "/v1/group",
    status: 200,
    message: "Groups retrieved",
    query: page,
  },
  "group.fetch": {
    method: "GET",
    path: "/v1/group/{id}",
    status: 200,
    message: "Group retrieved",
  },
  "group.update": {
    method: "PUT",
    path: "/v1/group/{id}",
    status: 200,
    message: "Group updated",
    body: {
      name: "string",
      send_birthday: "boolean",
      send_holiday: "boolean",
      birthday_message: "string",
      sender_id: "string",
    },
  },
  "group.delete": {
    method: "DELETE",
    path: "/v1/group/{id}",
    status: 200,
    message: "Group deleted",
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
