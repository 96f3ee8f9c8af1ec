import type { Response } from "./responses.ts";
import type { Failure, Rate, Switches } from "./switches.ts";

/** Returns a function that counts requests and returns the failure that is due for each. */
export function createFailures({ failures }: Switches): (method: string) => Failure | undefined {
  const counts = failures.map(() => 0);
  return (method) => {
    let due: Failure | undefined;
    for (const [index, failure] of failures.entries()) {
      if (failure.on !== method && (failure.on !== "writes" || method === "GET")) continue;
      const count = (counts[index]! += 1);
      if (count === failure.nth || (failure.repeats && count % failure.nth === 0)) due ??= failure;
    }
    return due;
  };
}

const html = { "Content-Type": "text/html" };
const json = { "Content-Type": "application/json" };
const maintenance = { status: false, message: "Down for maintenance", data: null };

/** Returns the response of a failure; undefined if the connection is closed. */
export function failedResponse({ kind }: Failure, status: number): Response | undefined {
  const responses: Readonly<Record<Failure["kind"], Response | undefined>> = {
    "connection lost": undefined,
    "empty response": { status, headers: {}, body: "" },
    "gateway page": { status: 502, headers: html, body: "<html><h1>502 Bad Gateway</h1></html>" },
    "gateway gave up": { status: 408, headers: html, body: "<html><h1>408</h1></html>" },
    "own refusal": { status: 503, headers: json, body: JSON.stringify(maintenance) },
  };
  return responses[kind];
}

/** Returns a function that counts a request and returns the headers of a 429, or undefined. */
export function createRateLimit(
  rate: Rate | undefined,
  now: () => number,
): () => Readonly<Record<string, string>> | undefined {
  let windowStart = -Infinity;
  let count = 0;
  return () => {
    if (rate === undefined) return undefined;
    if (now() >= windowStart + rate.window) {
      windowStart = now();
      count = 0;
    }
    count += 1;
    return count > rate.requests ? limitHeaders(rate, windowStart + rate.window, now()) : undefined;
  };
}

function limitHeaders(
  { header, requests }: Rate,
  end: number,
  now: number,
): Readonly<Record<string, string>> {
  const endSecond = Math.ceil(end / 1000);
  const headers: Readonly<Record<Rate["header"], Readonly<Record<string, string>>>> = {
    none: {},
    "Retry-After": { "Retry-After": String(Math.ceil((end - now) / 1000)) },
    "Retry-After date": { "Retry-After": new Date(endSecond * 1000).toUTCString() },
    "X-RateLimit": {
      "X-RateLimit-Limit": String(requests),
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": String(endSecond),
    },
  };
  return headers[header];
}
