import type { Switches } from "./switches.ts";

/** A service behind a gateway that sends HTTP 200 for everything, with a lagging replica. */
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
