import type { Switches } from "./switches.ts";

/** A service behind a gateway that answers HTTP 200 to everything, from a replica that lags. */
export const always200Gateway: Partial<Switches> = {
  createStatus: 200,
  refusals: "always 200",
  refusalShape: "message",
  page: "ignored",
  defaultPerPage: 15,
  maxPerPage: 50,
  overMaxPerPage: "capped",
  put: "resets omitted",
  uniqueNames: "none",
  senderIdIs: "any text",
  totalLag: 2,
};
