/** Sends requests to a service over connections that stay open. */
import { Agent, request } from "node:http";

/**
 * Creates a client. Its `send` resolves to the status, the headers, the text and the data of the response; the status is
 * "lost" if there was no response.
 */
export function createHttpClient(port, key, connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  function send(method, path, body) {
    return new Promise((resolve) => {
      const lost = () => resolve({ status: "lost" });
      const headers = { Authorization: `Bearer ${key}` };
      if (method !== "DELETE") headers["Content-Type"] = "application/json";
      const sent = request(
        { agent, host: "127.0.0.1", port, method, path, headers, timeout: 60_000 },
        (response) => {
          const chunks = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("error", lost);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            const { data } = text.startsWith("{") ? JSON.parse(text) : {};
            resolve({ status: response.statusCode, headers: response.headers, text, data });
          });
        },
      );
      sent.on("timeout", () => sent.destroy());
      sent.on("error", lost);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  return { send, close: () => agent.destroy() };
}
