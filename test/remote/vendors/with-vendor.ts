import type { Switches } from "./switches.ts";
import { startVendor, type Vendor } from "./vendor-service.ts";

interface VendorResponse {
  readonly status: number;
  readonly text: string;
  /** The parsed body; empty if it is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The `data` of the envelope. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

type SendRequest = (method: string, path: string, body?: object) => Promise<VendorResponse>;

/** Runs an action with a vendor and a function that sends requests to paths below `/v1`. */
export async function withVendor<Result>(
  switches: Partial<Switches>,
  action: (send: SendRequest, vendor: Vendor) => Promise<Result>,
  now: () => number = Date.now,
): Promise<Result> {
  const vendor = await startVendor(switches, { now });
  const send: SendRequest = async (method, path, sent) => {
    const response = await fetch(`${vendor.baseUrl}/v1${path}`, {
      method,
      redirect: "manual",
      headers: {
        Authorization: `Bearer ${vendor.key}`,
        Accept: "application/json",
        ...(method === "DELETE" ? {} : { "Content-Type": "application/json" }),
      },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    const { status, headers } = response;
    const body = (isJson ? JSON.parse(text) : {}) as VendorResponse["body"];
    return { status, text, headers, body, data: (body["data"] ?? {}) as VendorResponse["data"] };
  };
  try {
    return await action(send, vendor);
  } finally {
    await vendor.close();
  }
}

export const acme = { name: "ACME", purpose: "Orders" };
export const twenty = Array.from({ length: 20 }, (_, index) => ({ name: `Group ${index + 1}` }));
