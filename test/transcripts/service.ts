import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";

interface Rule {
  readonly method: string;
  readonly target: RegExp;
  readonly action: string;
  left: number;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The key in the environment of each command. */
export const key = "sk_canary_7f3a9c51e8d24b60";

/**
 * Starts the service of a session: it records requests, and passes on those for which no rule has an answer.
 *
 * @param stir called for each request, during which the clock of the session stands
 */
export async function startFront(stir: () => void) {
  const rules: Rule[] = [];
  const earlier = new Map<string, Answer>();
  let requests: string[] = [];
  let behind: string | undefined;
  const server = createServer((incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    const reply = async (): Promise<unknown> => {
      stir();
      const body = await textOf(incoming);
      requests.push(`${method} ${url}${body === "" ? "" : ` ${body}`}`);
      const rule = rules.find(
        (one) => one.left > 0 && one.method === method && one.target.test(url),
      );
      if (rule !== undefined) rule.left -= 1;
      const { host: _, connection: __, ...sent } = headers as Record<string, string>;
      const pass = async (): Promise<Answer> =>
        behind === undefined
          ? { status: 404, headers: {}, body: '{"message":"no rule"}' }
          : exchange(`${behind}${url}`, method, sent, body);
      const answer = await answerOf(rule?.action ?? "pass", pass, earlier.get(url));
      if (answer === undefined) return incoming.socket.destroy();
      if (method === "GET") earlier.set(url, answer);
      // Close to the clock of the session, so that clients take new records for new.
      const date = "Sat, 31 Jan 2026 08:00:30 GMT";
      const shown = { ...answer.headers, date: answer.headers["date"] ?? date };
      return response.writeHead(answer.status, shown).end(answer.body);
    };
    reply().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    isUsed: () => behind !== undefined || rules.length > 0,
    passOnTo: (other: string) => void (behind = other),
    /** Adds a rule, such as `POST /v1/group: lost` or `2 x GET /v1/group*: 429 [Retry-After: 1] {}`. */
    when: (rule: string) => void rules.unshift(readRule(rule)),
    /** Returns the requests since the last call, such as `POST /v1/group {"name":"A"}`. */
    takeRequests: () => requests.splice(0),
    /** Sends a request such as `POST /v1/group [Authorization:] {"name":"A"}`, and returns its response as text. */
    send: async (line: string): Promise<string> => {
      const [, method = "", target = "", rest = ""] = /^(\S+) (\S+) ?(.*)$/.exec(line) ?? [];
      const { headers, body } = withHeaders(rest);
      const usual = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answer = await exchange(`${url}${target}`, method, { ...usual, ...headers }, body);
      requests = [];
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\n`);
      return `${answer.status}\n${lines.join("")}${answer.body.replace(/\n?$/, "\n")}`;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function readRule(rule: string): Rule {
  const form = /^(?:(\d+) x )?([A-Z]+) (\S+?): (.*)$/;
  const [, count = "Infinity", method, target = "", action = ""] = form.exec(rule) ?? [];
  if (method === undefined) throw new Error(`not a rule: ${rule}`);
  const pattern = target.replaceAll(/[.?+]/g, "\\$&").replaceAll("*", ".*");
  return { method, target: new RegExp(`^${pattern}$`), action, left: Number(count) };
}

/** Returns the answer of an action; undefined if the connection is closed without one. */
async function answerOf(
  action: string,
  pass: () => Promise<Answer>,
  earlier: Answer | undefined,
): Promise<Answer | undefined> {
  const [, later] = /^pass, then (.*)$/.exec(action) ?? [];
  if (later !== undefined) return answerOf(later, pass, void (await pass()));
  const [, status, rest = ""] = /^(\d{3}) ?(.*)$/.exec(action) ?? [];
  const { headers, body } = withHeaders(rest);
  const type = { "content-type": "application/json" };
  if (status !== undefined)
    return { status: Number(status), headers: { ...type, ...headers }, body: inEnvelope(body) };
  if (action === "hang up") return undefined;
  if (action === "stale" && earlier !== undefined) return earlier;
  const answer = await pass();
  if (action === "lost") return undefined;
  const texts = /^replace (".*") with (".*")$/.exec(action)?.slice(1) ?? ['""', '""'];
  const [from, to] = texts.map((one) => JSON.parse(one) as string) as [string, string];
  return from === "" ? answer : { ...answer, body: answer.body.replaceAll(from, to) };
}

/** Returns the body that `data RECORD`, `page RECORD,RECORD` or `no TEXT` stands for; others unchanged. */
function inEnvelope(body: string): string {
  const [, form, text = ""] = /^(data|page|no)(?: (.*))?$/.exec(body) ?? [];
  if (form === undefined) return body;
  if (form === "no") return `{"status":false,"message":${JSON.stringify(text)},"data":null}`;
  if (form === "data") return `{"status":true,"message":"Done","data":${text}}`;
  const { length } = JSON.parse(`[${text}]`) as unknown[];
  const numbers = `"current_page":1,"last_page":1,"per_page":1000,"total":${length}`;
  return inEnvelope(`data {"data":[${text}],${numbers}}`);
}

/** Reads headers in brackets before a body: `[Retry-After: 1; Allow: GET] {}`. An empty one is not sent. */
function withHeaders(text: string): Pick<Answer, "headers" | "body"> {
  const [all = "", given = ""] = /^(?:\[([^\]]*:[^\]]*)\] ?)?/.exec(text) ?? [];
  const pairs = [...given.matchAll(/([\w-]+): ?([^;]*)/g)];
  const headers = pairs.map(([, name = "", value]) => [name.toLowerCase(), value]);
  return {
    headers: Object.fromEntries(headers) as Answer["headers"],
    body: text.slice(all.length),
  };
}

/** The headers of a response that are passed on, and shown. */
const passedOn = /^(?:content-type|allow|retry-after|www-authenticate|location)$/;

/** Sends a request over a connection of its own: `serve` would wait for others before it ends. */
async function exchange(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Answer> {
  const given = Object.entries(headers).filter(([, value]) => value !== "");
  const asked = request(url, { method, headers: Object.fromEntries(given), agent: false });
  asked.end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const found = Object.entries(response.headers).filter(([name]) => passedOn.test(name));
  const { statusCode: status = 0 } = response;
  return {
    status,
    headers: Object.fromEntries(found) as Answer["headers"],
    body: await textOf(response),
  };
}
