import type { Switches } from "./switches.ts";

/** A service in the style of a Laravel application, with its usual middleware and validation. */
export const laravelStyle: Partial<Switches> = {
  createStatus: 200,
  invalidStatus: 422,
  takenStatus: 422,
  refusalShape: "errors by field",
  htmlNotFound: true,
  uniqueNames: "any case",
  lookUp: "any case",
  senderIdIs: "an id",
  put: "needs name",
  trims: true,
  emptyIsNull: true,
  redirectsBrowsers: true,
  uuids: false,
  defaultPerPage: 15,
  maxPerPage: 100,
  overMaxPerPage: "capped",
};
