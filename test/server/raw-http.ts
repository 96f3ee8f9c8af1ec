import { connect } from "node:net";

/** One response as received. */
interface WireResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Parses all responses that a server sent on a connection. */
export function parseResponses(text: string): WireResponse[] {
  const responses: WireResponse[] = [];
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    const head = rest.subarray(0, end).toString();
    if (end < 0 || !head.startsWith("HTTP/1.1 "))
      throw new Error(`Not a response: ${rest.toString()}`);
    if (/^transfer-encoding: chunked$/im.test(head)) {
      // Node's own error responses have no body.
      if (!rest.subarray(end + 4).equals(Buffer.from("0\r\n\r\n"))) throw new Error("More chunks");
      return [...responses, { status: Number(head.slice(9, 12)), head, body: "" }];
    }
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const bodyEnd = end + 4 + length;
    if (rest.length < bodyEnd) throw new Error(`Truncated response: ${rest.toString()}`);
    const body = rest.subarray(end + 4, bodyEnd).toString();
    responses.push({ status: Number(head.slice(9, 12)), head, body });
    rest = rest.subarray(bodyEnd);
  }
  return responses;
}

/** Sends bytes over a new connection, and returns the responses once the server has closed or reset it. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<WireResponse[]> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.once("close", () => resolve());
    socket.write(bytes);
  });
  return parseResponses(Buffer.concat(chunks).toString());
}

/** Returns a raw request whose body is sent in chunks, which it has to contain. */
export function inChunks(request: string): string {
  return request.replace(/Content-Length.*/, "Transfer-Encoding: chunked");
}

/** Returns a raw request that creates a group. @param headers each with its line end */
export function postGroup(key: string, body: string, headers = ""): string {
  return [
    "POST /v1/group HTTP/1.1\r\nHost: localhost\r\n",
    `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\n${headers}`,
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  ].join("");
}
