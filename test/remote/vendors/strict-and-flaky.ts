import type { Failure, Rate, Switches } from "./switches.ts";

/** Every third write is carried out, but a proxy responds with its own 502 page. */
export const proxyPages: Failure = {
  kind: "gateway page",
  when: "after",
  on: "writes",
  nth: 3,
  repeats: true,
};

/** Every fifth create is carried out, but its 201 has no body. */
export const emptyCreates: Failure = {
  kind: "empty response",
  when: "after",
  on: "POST",
  nth: 5,
  repeats: true,
};

export const fiveASecond: Rate = { requests: 5, window: 1000, header: "Retry-After" };

/** A service that refuses unknown input, behind a proxy that gives up early. */
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
