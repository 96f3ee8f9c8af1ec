import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { execa } from "execa";
import { inTime } from "./waiting.ts";
import { launcher, test as base, type Home, type Outcome } from "./home.ts";

type Environment = Readonly<Record<string, string>>;

/** `sendctl serve`, running. */
interface Serve {
  readonly baseUrl: string;
  readonly port: number;
  /** The first key, where one was issued. */
  readonly key: string | undefined;
  /** What a client of it needs. */
  readonly client: Environment;
  /** What was written by now. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Fulfilled when stderr holds the text. */
  readonly said: (text: string) => Promise<true>;
  /** Fulfilled when it has ended. */
  readonly stop: (signal?: "SIGINT" | "SIGTERM") => Promise<Outcome>;
}

export type StartServe = (args?: readonly string[], env?: Environment) => Promise<Serve>;

/** What of both ways to introduce itself a client needs. */
function introduced(stdout: string): { baseUrl: string; key: string | undefined } | undefined {
  if (stdout.startsWith("{")) {
    if (!stdout.endsWith("}\n")) return undefined;
    const { data } = JSON.parse(stdout) as { data: { base_url: string; secret_key?: string } };
    return { baseUrl: data.base_url, key: data.secret_key };
  }
  const baseUrl = /^export SENDCTL_BASE_URL=(.*)\n/m.exec(stdout)?.[1];
  if (baseUrl === undefined) return undefined;
  return { baseUrl, key: /^export SENDCTL_SECRET_KEY=(.*)\n/m.exec(stdout)?.[1] };
}

export async function startServe(home: Home, args: readonly string[], env: Environment) {
  const child = execa(process.execPath, [launcher, "serve", ...args], {
    cwd: home.folder,
    env: { ...home.env, ...env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    stdin: "ignore",
  });
  const text = { stdout: "", stderr: "" };
  const heard: (() => void)[] = [];
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (part: string) => {
      text[name] += part;
      for (const look of heard) look();
    });
  }
  let ended = false;
  void child.then(() => {
    ended = true;
    for (const look of heard) look();
    return undefined;
  });
  /** Looks whenever something is written. */
  const until = <Found>(look: () => Found | undefined): Promise<Found> =>
    new Promise((resolve, reject) => {
      const again = (): void => {
        const found = look();
        if (found !== undefined) resolve(found);
        else if (ended) reject(new Error(`serve has ended: ${text.stdout}${text.stderr}`));
      };
      heard.push(again);
      again();
    });
  const { baseUrl, key } = await inTime(
    "serve begins",
    until(() => introduced(text.stdout)),
  );
  const serve: Serve = {
    baseUrl,
    port: Number(new URL(baseUrl).port),
    key,
    client: {
      SENDCTL_BASE_URL: baseUrl,
      ...(key === undefined ? {} : { SENDCTL_SECRET_KEY: key }),
    },
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    said: (wanted) =>
      inTime(
        `serve says ${wanted}`,
        until(() => (text.stderr.includes(wanted) ? true : undefined)),
      ),
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      const { exitCode } = await inTime(`serve ends on ${signal}`, child);
      return { exitCode, ...text };
    },
  };
  return { serve, kill: () => (child.kill("SIGKILL"), child) };
}

/** Every test may start servers in its home; none is left behind. */
export const test = base.extend<{ serve: StartServe }>({
  serve: async ({ home }, use) => {
    const kills: (() => PromiseLike<unknown>)[] = [];
    await use(async (args = ["--port", "0"], env = {}) => {
      const { serve, kill } = await startServe(home, args, env);
      kills.push(kill);
      return serve;
    });
    await Promise.all(kills.map((kill) => kill()));
  },
});

/** The lines of the request log. */
export function logLines(stderr: string): Record<string, unknown>[] {
  const lines = stderr.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const { port, close } = await takePort();
  await close();
  return port;
}

/** A port that nobody else can have. */
export async function takePort(): Promise<{ port: number; close: () => Promise<unknown> }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () => {
      server.close();
      return once(server, "close");
    },
  };
}

export interface Listed {
  readonly id: number;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** Every group of a home's own database, read without any server. */
export async function groupsOf(home: Home, env: Environment = {}): Promise<Listed[]> {
  const { stdout } = await home.run(["group", "list", "--all", "--json"], env);
  return (JSON.parse(stdout) as { data: { data: Listed[] } }).data.data;
}
