import { EventEmitter, once } from "node:events";
import { inTime } from "./waiting.ts";
import type { Runtime } from "../../src/core/runtime.ts";
import { quietRuntime, runMain, screen, stoppable } from "./built-program.ts";
import { test as base, type Home, type Outcome } from "./home.ts";

type Environment = Readonly<Record<string, string>>;

/** A running `sendctl serve`. */
interface Serve {
  readonly baseUrl: string;
  readonly port: number;
  /** The first key, if one was issued. */
  readonly key: string | undefined;
  /** The environment of a client. */
  readonly client: Environment;
  /** The output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until stderr contains the text. */
  readonly said: (text: string) => Promise<true>;
  /** Ends the server and waits for it. */
  readonly stop: (signal?: "SIGINT" | "SIGTERM") => Promise<Outcome>;
}

export type StartServe = (args?: readonly string[], env?: Environment) => Promise<Serve>;

type Address = Pick<Serve, "baseUrl" | "port" | "key" | "client">;

/** Returns base URL and key from the output of serve, as text or JSON; undefined if it is incomplete. */
function readAddress(stdout: string): Address | undefined {
  if (stdout.startsWith("{")) {
    if (!stdout.endsWith("}\n")) return undefined;
    const { data } = JSON.parse(stdout) as { data: { base_url: string; secret_key?: string } };
    return addressOf(data.base_url, data.secret_key);
  }
  const baseUrl = /^export SENDCTL_BASE_URL=(.*)\n/m.exec(stdout)?.[1];
  if (baseUrl === undefined) return undefined;
  return addressOf(baseUrl, /^export SENDCTL_SECRET_KEY=(.*)\n/m.exec(stdout)?.[1]);
}

function addressOf(baseUrl: string, key: string | undefined): Address {
  const keyVariable = key === undefined ? {} : { SENDCTL_SECRET_KEY: key };
  const client = { SENDCTL_BASE_URL: baseUrl, ...keyVariable };
  return { baseUrl, port: Number(new URL(baseUrl).port), key, client };
}

/** Starts a server, on a free port unless `args` names one. */
export async function startServe(home: Home, args: readonly string[], env: Environment) {
  const child = home.start(["serve", "--port", "0", ...args], env);
  const text = { stdout: "", stderr: "" };
  const listeners: (() => void)[] = [];
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (part: string) => {
      text[name] += part;
      for (const look of listeners) look();
    });
  }
  let ended = false;
  void child.then(() => {
    ended = true;
    for (const look of listeners) look();
    return undefined;
  });
  /** Looks again whenever something is written. */
  const until = <Found>(look: () => Found | undefined): Promise<Found> =>
    new Promise((resolve, reject) => {
      const again = (): void => {
        const found = look();
        if (found !== undefined) resolve(found);
        else if (ended) reject(new Error(`serve has exited: ${text.stdout}${text.stderr}`));
      };
      listeners.push(again);
      again();
    });
  const address = await inTime(
    "serve starts",
    until(() => readAddress(text.stdout)),
  );
  const serve: Serve = {
    ...address,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    said: (wanted) =>
      inTime(
        `serve prints ${wanted}`,
        until(() => (text.stderr.includes(wanted) ? true : undefined)),
      ),
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      const { exitCode } = await inTime(`serve exits on ${signal}`, child);
      return { exitCode, ...text };
    },
  };
  return {
    serve,
    kill: () => (child.kill("SIGKILL"), child),
    /** Stops the process without ending it, and lets it go on. */
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
  };
}

type ServeHere = Address & Pick<Serve, "stderr" | "stop">;

/** Starts a server in this process. @param clock replaces that of the runtime */
export async function serveInProcess(
  home: Pick<Home, "folder" | "env">,
  args: readonly string[],
  clock: Partial<Pick<Runtime, "now">> = {},
): Promise<ServeHere> {
  const { onStop, stop } = stoppable();
  const runtime = { ...quietRuntime(home.folder, home.env), onStop, ...clock };
  const written = new EventEmitter();
  const stdout = screen(undefined, (text) => written.emit("stdout", readAddress(text)));
  const started = once(written, "stdout") as Promise<(Address | undefined)[]>;
  const stderr = screen();
  const ended = runMain(["serve", "--port", "0", ...args], runtime, [stdout, stderr]);
  const [address] = await inTime("serve starts", Promise.race([started, ended.then(() => [])]));
  if (address === undefined) throw new Error(`serve has exited: ${(await ended).stderr}`);
  return {
    ...address,
    stderr: stderr.text,
    stop: (signal = "SIGTERM") => {
      stop(signal);
      return inTime(`serve exits on ${signal}`, ended);
    },
  };
}

type StartHere = (args?: readonly string[]) => Promise<ServeHere>;

interface Servers {
  /** Starts a server as a process, which is killed afterwards. */
  readonly serve: StartServe;
  /** Starts a server in this process, for tests of what it serves. It is stopped afterwards. */
  readonly serveHere: StartHere;
}

/** Lets a test start servers in its home. */
export const test = base.extend<Servers>({
  serve: async ({ home }, use) => {
    const kills: (() => PromiseLike<unknown>)[] = [];
    await use(async (args = [], env = {}) => {
      const { serve, kill } = await startServe(home, args, env);
      kills.push(kill);
      return serve;
    });
    await Promise.all(kills.map((kill) => kill()));
  },
  serveHere: async ({ home }, use) => {
    const servers: ServeHere[] = [];
    await use(async (args = []) => {
      const server = await serveInProcess(home, args);
      servers.push(server);
      return server;
    });
    await Promise.all(servers.map(({ stop }) => stop()));
  },
});

/** Returns the lines of the request log. */
export function logLines(stderr: string): Record<string, unknown>[] {
  const lines = stderr.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

export interface Listed {
  readonly id: number;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** Lists every group of a home's own database, without a server. */
export async function groupsOf(home: Home, env: Environment = {}): Promise<Listed[]> {
  const { stdout } = await home.run(["group", "list", "--all", "--json"], env);
  return (JSON.parse(stdout) as { data: { data: Listed[] } }).data.data;
}
