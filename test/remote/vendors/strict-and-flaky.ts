import type { Failure, Rate, Switches } from "./switches.ts";

/** Every third write is done, but answered by a proxy with its own 502 page. */
export const proxyPages: Failure = {
  kind: "gateway page",
  when: "after",
  on: "writes",
  nth: 3,
  repeats: true,
};

/** Every fifth create is done, but answered with nothing behind its 201. */
export const emptyCreates: Failure = {
  kind: "empty response",
  when: "after",
  on: "POST",
  nth: 5,
  repeats: true,
};

export const fiveASecond: Rate = { requests: 5, window: 1000, header: "Retry-After" };

/** A service that refuses what it does not know, behind a proxy that gives up early. */
export const strictAndFlaky: Partial<Switches> = {
  refusalShape: "error.description",
  invalidStatus: 400,
  takenStatus: 409,
  deletedStatus: 410,
  uniqueNames: "exact",
  page: "refused",
  defaultPerPage: 25,
  maxPerPage: 200,
  overMaxPerPage: "refused",
  nulls: "refused",
  senderIdIs: "a name",
  failures: [proxyPages, emptyCreates],
  rate: fiveASecond,
};
