import type { OperationName } from "../../src/contract/operations.ts";
import { wrongNumbers } from "../engine/support/hostile-texts.ts";
import { create as createGroup } from "./group-cases.ts";
import { listedGroup, page, senderId } from "./records.ts";
import { create as createSenderId } from "./sender-id-cases.ts";
import { invalid, step, type Case, type Step } from "./step.ts";

/** Invalid values that fit the type of a query: a number or text. */
const wrongValues = wrongNumbers.filter(
  (value) => typeof value === "number" || typeof value === "string",
);

const nameOf = (id: number): string => `Number ${id}`;

function pageCases(
  list: OperationName,
  create: (id: number, name: string) => Step,
  record: (id: number, name: string) => object,
): readonly Case[] {
  const ids = Array.from({ length: 17 }, (_, index) => index + 1);
  const creates = ids.map((id) => create(id, nameOf(id)));
  /** Records from one id down to another, as a page shows them. */
  const down = (from: number, to: number): object[] =>
    ids
      .filter((id) => id >= to && id <= from)
      .toReversed()
      .map((id) => record(id, nameOf(id)));
  const lists = (query: object, data: unknown): Step => step(list, { query }, { data });
  const refused = (query: object, ...fields: readonly string[]): Step =>
    step(list, { query }, invalid(...fields));
  const total = 17;
  return [
    {
      name: `the pages of ${list}`,
      steps: [
        ...creates,
        lists({}, page(down(17, 3), { last: 2, total })),
        lists({ page: 2 }, page(down(2, 1), { page: 2, last: 2, total })),
        lists({ page: 3 }, page([], { page: 3, last: 2, total })),
        lists(
          { page: 999_999_999_999_999 },
          page([], { page: 999_999_999_999_999, last: 2, total }),
        ),
        lists({ perPage: 1 }, page(down(17, 17), { last: 17, perPage: 1, total })),
        lists(
          { perPage: 1, page: 17 },
          page(down(1, 1), { page: 17, last: 17, perPage: 1, total }),
        ),
        lists({ perPage: 5, page: 2 }, page(down(12, 8), { page: 2, last: 4, perPage: 5, total })),
        lists({ perPage: 5, page: 4 }, page(down(2, 1), { page: 4, last: 4, perPage: 5, total })),
        lists({ perPage: 17 }, page(down(17, 1), { perPage: 17, total })),
        lists({ perPage: 1000 }, page(down(17, 1), { perPage: 1000, total })),
        lists(
          { perPage: "16", page: "2" },
          page(down(1, 1), { page: 2, last: 2, perPage: 16, total }),
        ),
        lists({ perPage: undefined, page: undefined }, page(down(17, 3), { last: 2, total })),
      ],
    },
    {
      name: `invalid pages of ${list}`,
      steps: [
        ...[...wrongValues, 1001, "1001", "15,15", "a&page=2", "1#", "1%", "😀"].flatMap(
          (value) => [
            refused({ perPage: value }, "perPage"),
            refused({ perPage: value, page: 0 }, "perPage", "page"),
          ],
        ),
        ...[...wrongValues, 1e15, "1,1", "1&perPage=2"].map((value) =>
          refused({ page: value }, "page"),
        ),
        lists({ page: 2 }, page([], { page: 2 })),
      ],
    },
  ];
}

export const allPageCases: readonly Case[] = [
  ...pageCases("sender-id.list", createSenderId, (id, name) => senderId(id, name)),
  ...pageCases("group.list", createGroup, (id, name) => listedGroup(id, name)),
];
