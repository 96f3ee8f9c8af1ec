import type { Session } from "../../command/session.ts";
import { exitCodes } from "../../output/exit-codes.ts";
import type { Output } from "../../output/output.ts";
import type { StopSignal } from "../../core/programs.ts";
import { type Client, firstKey, keyForFile, openEnvFile, variableLines } from "./env-file.ts";
import { safeText } from "../../core/text.ts";
import {
  announceBehaviour,
  behaviourOf,
  behaviourOptions,
  givenKey,
  portOf,
  readTls,
  refuseLasting,
  suiteOptions,
  tlsOptions,
  type Https,
  fillFrom,
  readSeed,
} from "./service-options.ts";
import type { Administration } from "../../engine/administration/administration.ts";
import type { InjectedFault } from "../../server/faults.ts";
import { emptyValue, invalidValue } from "../../command/arguments.ts";
import { defineCommand, flag, text } from "../../command/define-command.ts";

/** A closed terminal ends it, too. */
const stopSignals: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export const serve = defineCommand({
  path: "serve",
  changes: "database",
  changesIf: (_, { temporary }) => !temporary,
  isEndless: true,
  description:
    "Serve the embedded engine over HTTP for any client of the service: the database of `local info`, or another with --database. Prints the environment variables that a client needs; --write-env writes them to a file instead, without showing the key.",
  options: {
    host: text("--host <address>", "address to listen on", { default: "127.0.0.1" }),
    port: text("--port <n>", "port; 0 for any free port", { default: "4010" }),
    writeEnv: text("--write-env <file>", "file for the base URL and the key", { takes: "file" }),
    temporary: flag("--temporary", "serve a database that is deleted at the end"),
    ...suiteOptions,
    ...tlsOptions,
    keyFromEnv: flag("--key-from-env", "accept the key in SENDCTL_SECRET_KEY"),
    ...behaviourOptions,
    background: flag("--background", "as a service of local start", { isHidden: true }),
  },
  examples: [
    "sendctl serve",
    "sendctl serve --write-env service.env",
    "sendctl serve --fault group.create:status=503",
    "sendctl serve --temporary --seed sendctl.yaml --control --json",
  ],
  /** Serves until a signal, and then finishes the requests in progress, unless another follows. */
  async run(context, _, options) {
    const { output, processes } = context;
    output.supports("the settings of a client", ["table", "json", "yaml"]);
    const { host } = options;
    // On an empty address, the service would be open to every network.
    if (host === "") throw emptyValue("--host", "pass an address of this machine");
    // Before a database is created: no name or address has other characters.
    if (!/^[\p{L}\p{N}._:%-]+$/u.test(host)) {
      throw invalidValue("address", host, "--host", "pass a name or an address of this machine");
    }
    const port = portOf(options.port)!;
    refuseLasting(options);
    const ownKey = options.keyFromEnv ? givenKey(processes.env["SENDCTL_SECRET_KEY"]) : undefined;
    const tls = await readTls(options, clientHost(host), context);
    const seed = await readSeed(context, options.seed);
    const settings = await behaviourOf(options, context);
    // After the behaviour file is read, so that a signal ends a process that waits for a pipe.
    const stopped = processes.stopped(stopSignals);
    let ask: (() => void) | undefined;
    const asked = new Promise<string>((resolve) => (ask = () => resolve("local stop")));
    // Otherwise Node would open its debugger, to which every user of this machine can connect.
    processes.onSignal(["SIGUSR1"], () => {});
    const { writeEnv } = options;
    const envFile = writeEnv === undefined ? undefined : openEnvFile(writeEnv, context.input.path);
    // As a service of `local start`, which has a file of --write-env.
    const { background } = options;
    const register = background
      ? await (await context.local.background()).register(context.input.path(writeEnv!))
      : undefined;
    const isLogPrinted = !context.config.settings.quiet;
    const address = { host, port, tls, givenKey: ownKey };
    const logged = { ...settings, ...address, isLogPrinted };
    const { serve, serveTemporarily } = await context.local.servers();
    const serving = options.temporary
      ? await serveTemporarily(logged, seed.backup)
      : { ...(await serve(logged)), startControl: undefined, database: undefined };
    const endErrors = await processes.dropUnreadErrors();
    try {
      const base = baseOf(host, serving.port, tls);
      const { databaseUrl, database: file } = context.config.settings;
      const { database = databaseUrl === undefined ? file : undefined } = serving;
      const { administration } = serving.engine;
      if (ownKey !== undefined) await administration.createKey("default", ownKey);
      const filled = await fillFrom(context, serving.engine, seed, () => {});
      if (filled !== exitCodes.done) return filled;
      const inspectOf = options.inspect ? base : undefined;
      const isControlled = options.control || options.inspect;
      const controlUrl =
        isControlled || background
          ? await serving.startControl?.(inspectOf, background ? ask : undefined)
          : undefined;
      register?.({ base_url: base, control_url: controlUrl!, database: database! });
      const client: Client = {
        base_url: base,
        secret_key: undefined,
        control_url: isControlled ? controlUrl : undefined,
        inspect_url: options.inspect ? `${controlUrl}/` : undefined,
        ca_file: tls?.trusted,
        database,
      };
      if (envFile === undefined) await printKey(context, client, administration, ownKey);
      else {
        const secret_key = ownKey ?? (await keyForFile(serving.engine, envFile.key));
        envFile.write({ ...client, secret_key });
        await printClient(output, { base_url: base, env_file: writeEnv, database });
        // Nobody knows of it: the `local start` that waited for these lines was killed.
        if (options.temporary && output.isUnread()) return exitCodes.done;
        await output.say(safeText(`Base URL and key written to ${writeEnv}`));
      }
      // Others than this machine can connect.
      if (!/^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host)) {
        const more = tls === undefined ? ", and their requests are not encrypted" : "";
        await output.warn(`${host} accepts connections from other machines${more}`);
      }
      await announceBehaviour(context, options.behaviour, serving.engine.changed);
      await announceAddress(context, base, options.temporary, settings.faults);
      const signal = await Promise.race([stopped, asked]);
      void processes.stopped(stopSignals).then(serving.abort);
      await output.say(`${signal}: stopping after the requests in progress`);
    } finally {
      // The address and the key of a temporary service end with it.
      if (options.temporary) envFile?.remove();
      await serving.stop();
      await endErrors();
    }
    return exitCodes.done;
  },
});

/** Prints what a client needs, with the first key if there was none. */
async function printKey(
  { output, ask }: Session,
  client: Client,
  administration: Administration,
  ownKey: string | undefined,
): Promise<void> {
  const firstOne = ownKey === undefined ? await firstKey(administration) : undefined;
  await printClient(output, { ...client, secret_key: firstOne });
  const create = safeText(ask.line(["local", "key", "create"], true));
  const existing = `Existing keys cannot be shown again; to create another: ${create}`;
  await output.say(
    ownKey !== undefined
      ? "The key is the one in SENDCTL_SECRET_KEY"
      : firstOne === undefined
        ? existing
        : "Created the first key; it is not shown again",
  );
}

/** Says which faults the service has, and where it listens. */
async function announceAddress(
  { output, config }: Session,
  base: string,
  isTemporary: boolean,
  faults: readonly InjectedFault[],
): Promise<void> {
  for (const { text, operations } of faults) {
    const names = text.includes("*:") ? ` · ${[...operations].join(", ")}` : "";
    await output.say(safeText(`Injected fault: ${text}${names}`));
  }
  await output.say(
    isTemporary
      ? `Listening on ${base} · temporary database`
      : safeText(`Listening on ${base} · database ${config.settings.database}`),
  );
}

/** Prints what a client needs: lines for a shell, or an envelope. Omits a key that is in a file. */
async function printClient(output: Output, client: Client): Promise<void> {
  await output.report({
    message: "Listening",
    data: client,
    isOneLine: true,
    // Other commands of the shell keep their database.
    text: variableLines({ ...client, database: undefined }, "export "),
  });
}

/** Returns the host by which a client on this machine reaches an address. */
function clientHost(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
}

/** Returns the base URL of an address, for a client on this machine. */
function baseOf(host: string, port: number, tls: Https | undefined): string {
  const name = tls?.host ?? clientHost(host);
  const scheme = tls === undefined ? "http" : "https";
  return `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
