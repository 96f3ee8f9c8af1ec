import type { OperationName } from "../../../src/contract/operations.ts";
import { strayKeys, wrongFlags, wrongNames, wrongNumbers } from "./hostile-texts.ts";

/**
 * A request that a ruling refuses: the ruling, what is wrong, the operation, its input, the status,
 * and the fields that the errors name, in alphabetical order. Sender ID ACME (1) and group 1 belong
 * to the caller; sender ID THEIRS (2) and group 2 belong to another integration.
 */
type Refused = readonly [number, string, OperationName, unknown, number, ...fields: string[]];

const shortened = (value: unknown): string => JSON.stringify(value).slice(0, 30);
const path = { id: "1" };
const purpose = "Alerts";
const name = "Friends";

const senderIdBodies: Refused[] = [
  [4, "no name", "sender-id.create", { body: { purpose } }, 422, "name"],
  [4, "no purpose", "sender-id.create", { body: { name } }, 422, "purpose"],
  [4, "an empty body", "sender-id.create", { body: {} }, 422, "name", "purpose"],
  [4, "an undefined name", "sender-id.create", { body: { name: undefined, purpose } }, 422, "name"],
  ...wrongNames.map((name): Refused => [
    5,
    shortened(name),
    "sender-id.create",
    { body: { name, purpose } },
    422,
    "name",
  ]),
  [5, "a name that is taken", "sender-id.create", { body: { name: "ACME", purpose } }, 409, "name"],
  ...["", "p".repeat(1001), "😀".repeat(1001), "a\rb", "a\u0085", "\ude00", null, 7, ["a"]].map(
    (purpose): Refused => [
      ...([6, shortened(purpose), "sender-id.create", { body: { name, purpose } }, 422] as const),
      "purpose",
    ],
  ),
  [11, "an unknown field", "sender-id.create", { body: { name, purpose, Name: "A" } }, 422, "Name"],
  [
    11,
    "status",
    "sender-id.create",
    { body: { name, purpose, status: "APPROVED" } },
    422,
    "status",
  ],
  [
    11,
    "__proto__",
    "sender-id.create",
    { body: JSON.parse('{"name":"A","purpose":"b","__proto__":1}') },
    422,
    "__proto__",
  ],
  [
    11,
    "several invalid fields",
    "sender-id.create",
    { body: { name: "", purpose: 1, x: 1, y: 2 } },
    422,
    "name",
    "purpose",
    "x",
    "y",
  ],
];

const groupBodies: Refused[] = [
  [4, "no name", "group.create", { body: {} }, 422, "name"],
  [4, "an undefined name", "group.create", { body: { name: undefined } }, 422, "name"],
  ...wrongNames.flatMap((name): Refused[] => [
    [7, shortened(name), "group.create", { body: { name } }, 422, "name"],
    [7, shortened(name), "group.update", { path, body: { name } }, 422, "name"],
  ]),
  ...["", "m".repeat(1601), "😀".repeat(1601), "\ud800", 0, false, ["Hi"]].flatMap(
    (birthday_message): Refused[] => [
      [
        8,
        shortened(birthday_message),
        "group.create",
        { body: { name, birthday_message } },
        422,
        "birthday_message",
      ],
      [
        8,
        shortened(birthday_message),
        "group.update",
        { path, body: { birthday_message } },
        422,
        "birthday_message",
      ],
    ],
  ),
  ...[true, null].map((send_holiday): Refused => [
    10,
    "send_holiday",
    "group.create",
    { body: { name, send_holiday } },
    422,
    "send_holiday",
  ]),
  ...["ACME", null].map((sender_id): Refused => [
    10,
    "sender_id",
    "group.create",
    { body: { name, sender_id } },
    422,
    "sender_id",
  ]),
  [11, "id", "group.create", { body: { name, id: 7 } }, 422, "id"],
  [
    11,
    "contacts_count",
    "group.update",
    { path, body: { contacts_count: 7 } },
    422,
    "contacts_count",
  ],
  [
    11,
    "birthdayMessage",
    "group.update",
    { path, body: { birthdayMessage: "Hi" } },
    422,
    "birthdayMessage",
  ],
  ...wrongFlags.flatMap((flag): Refused[] => [
    [
      12,
      shortened(flag),
      "group.create",
      { body: { name, send_birthday: flag } },
      422,
      "send_birthday",
    ],
    [
      12,
      shortened(flag),
      "group.update",
      { path, body: { send_birthday: flag } },
      422,
      "send_birthday",
    ],
    [
      12,
      shortened(flag),
      "group.update",
      { path, body: { send_holiday: flag } },
      422,
      "send_holiday",
    ],
  ]),
  [
    13,
    "null for send_birthday",
    "group.create",
    { body: { name, send_birthday: null } },
    422,
    "send_birthday",
  ],
  [
    13,
    "null for send_birthday",
    "group.update",
    { path, body: { send_birthday: null } },
    422,
    "send_birthday",
  ],
  [13, "null for name", "group.update", { path, body: { name: null } }, 422, "name"],
  ...["acme", "ACME ", "", "01", "2", "THEIRS", "999", "1.0", "\ud800", 1, true, ["ACME"], {}].map(
    (sender_id): Refused => [
      14,
      shortened(sender_id),
      "group.update",
      { path, body: { sender_id } },
      422,
      "sender_id",
    ],
  ),
];

const bodiesNotObjects: Refused[] = [null, [], [{ name }], "{}", 1, true].flatMap(
  (body): Refused[] => [
    [11, shortened(body), "sender-id.create", { body }, 422, "body"],
    [11, shortened(body), "group.create", { body }, 422, "body"],
    [11, shortened(body), "group.update", { path, body }, 422, "body"],
  ],
);

const invalidPages: Refused[] = (["sender-id.list", "group.list"] as const).flatMap(
  (list): Refused[] => [
    ...[...wrongNumbers, 1001, "1001", [5]].map((perPage): Refused => [
      18,
      shortened(perPage),
      list,
      { query: { perPage } },
      422,
      "perPage",
    ]),
    ...[...wrongNumbers, [5]].map((page): Refused => [
      19,
      shortened(page),
      list,
      { query: { page } },
      422,
      "page",
    ]),
    [19, "both", list, { query: { perPage: 0, page: 0 } }, 422, "page", "perPage"],
  ],
);

const notFound: Refused[] = [
  ...["THEIRS", "acme", " ACME", "1", "2", ...strayKeys].flatMap((name): Refused[] => [
    [3, shortened(name), "sender-id.fetch", { path: { name } }, 404],
    [3, shortened(name), "sender-id.delete", { path: { name } }, 404],
  ]),
  ...["2", "01", "+1", "1e0", "Friends", "{1}", ...strayKeys].flatMap((id): Refused[] => [
    [20, shortened(id), "group.fetch", { path: { id } }, 404],
    [20, shortened(id), "group.update", { path: { id }, body: {} }, 404],
    [20, shortened(id), "group.delete", { path: { id } }, 404],
  ]),
];

export const refusedRequests = {
  "fields of a sender ID": senderIdBodies,
  "fields of a group": groupBodies,
  "bodies that are not objects": bodiesNotObjects,
  pages: invalidPages,
  "unknown records": notFound,
} satisfies Record<string, readonly Refused[]>;
