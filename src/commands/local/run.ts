import { stoppedBy } from "../../core/error.ts";
import { dirname, join } from "node:path";
import { platform } from "node:process";
import type { Session } from "../../command/session.ts";
import { exitCodes, passedOn, type ExitCode } from "../../output/exit-codes.ts";
import type { StopSignal } from "../../core/programs.ts";
import { writeOwnFile } from "../../core/own-file.ts";
import { safeText } from "../../core/text.ts";
import {
  announceBehaviour,
  behaviourOf,
  behaviourOptions,
  givenKey,
  portOf,
  readTls,
  suiteOptions,
  tlsOptions,
  type Https,
  fillFrom,
  readSeed,
} from "../serve/service-options.ts";
import { defineCommand, flag, text, variadic } from "../../command/define-command.ts";
import { missing } from "../../command/arguments.ts";
import { newKey } from "../serve/env-file.ts";

/** Signals from keys, which a terminal sends to the command as well. */
const keySignals: readonly StopSignal[] = ["SIGINT", "SIGQUIT"];
const signals: readonly StopSignal[] = [...keySignals, "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"];

export const localRun = defineCommand({
  path: "local run",
  summary: "Run a command with a temporary service",
  description:
    "Run a command with a temporary service on a free port, backed by a throwaway database. The command gets its address and key in SENDCTL_BASE_URL and SENDCTL_SECRET_KEY, and its exit code is passed on.",
  args: { command: variadic("command and its arguments, after --", { takes: "file" }) },
  options: {
    ...suiteOptions,
    ...tlsOptions,
    ...behaviourOptions,
    port: text("--port <n>", "port (default: any free port)"),
    keyFromEnv: flag("--key-from-env", "accept the key in SENDCTL_SECRET_KEY"),
  },
  exitCodes: [
    [126, "the command cannot be run"],
    [127, "the command was not found"],
  ],
  passesOptions: true,
  examples: [
    "sendctl local run -- node --version",
    "sendctl local run --seed sendctl.yaml -- node --version",
    `sendctl local run --rate-limit 5 -- sh -c 'echo "$SENDCTL_BASE_URL"'`,
  ],
  /** The service is removed however the command ends. */
  async run(context, { command: words }, given) {
    const [command, ...args] = words;
    if (command === undefined || command === "") {
      throw missing("COMMAND", "pass it after --, such as: sendctl local run -- npm test");
    }
    const { processes } = context;
    const ownKey = given.keyFromEnv ? givenKey(processes.env["SENDCTL_SECRET_KEY"]) : undefined;
    const settings = await behaviourOf(given, context);
    const host = "127.0.0.1";
    const tls = await readTls(given, host, context);
    // Read before signals are caught, so that a signal still ends a process that waits for input.
    const seed = await readSeed(context, given.seed);
    const port = portOf(given.port) ?? 0;
    const early: StopSignal[] = [];
    let onSignal = (signal: StopSignal): void => void early.push(signal);
    processes.onSignal(signals, (signal) => onSignal(signal));
    const refuseStopped = (): void => {
      if (early[0] === undefined) return;
      throw stoppedBy(early[0], "Interrupted: the command was not started");
    };
    const { debug, quiet } = context.config.settings;
    const { serveTemporarily } = await context.local.servers();
    const serving = await serveTemporarily(
      {
        host,
        port,
        tls,
        givenKey: ownKey,
        ...settings,
        isLogPrinted: debug && !quiet,
      },
      seed.backup,
    );
    try {
      const { engine, database } = serving;
      if (ownKey !== undefined) await engine.administration.createKey("default", ownKey);
      const key = ownKey ?? (await newKey(engine.administration));
      const filled = await fillFrom(context, engine, seed, refuseStopped);
      if (filled !== exitCodes.done) return filled;
      const base = `${tls === undefined ? "http" : "https"}://${tls?.host ?? host}:${serving.port}`;
      const inspectOf = given.inspect ? base : undefined;
      const isControlled = given.control || given.inspect;
      const controlUrl = isControlled ? await serving.startControl(inspectOf) : undefined;
      if (given.inspect) await context.output.say(`Inspect it on ${controlUrl}/`);
      await announceBehaviour(context, given.behaviour, engine.changed);
      await context.output.say(`Serving on ${base} for ${safeText(command)}`);
      refuseStopped();
      // Sendctl in the command uses this service and its database.
      const { SENDCTL_PROFILE: _, ...others } = processes.env;
      const running = await processes.run(command, args, {
        ...others,
        SENDCTL_BASE_URL: base,
        SENDCTL_SECRET_KEY: key,
        SENDCTL_DATABASE: database,
        SENDCTL_CONTROL_URL: controlUrl,
        SENDCTL_INSPECT_URL: given.inspect ? `${controlUrl}/` : undefined,
        ...(tls?.trusted === undefined
          ? {}
          : { NODE_EXTRA_CA_CERTS: trustedFile(tls, tls.trusted, dirname(database)) }),
      });
      onSignal = (signal) => {
        if (!running.sharesTerminal || !keySignals.includes(signal)) running.kill(signal);
      };
      for (const signal of early) onSignal(signal);
      return passedOn(await running.ended);
    } catch (error) {
      return await reportNotStarted(context, [command, ...args], error);
    } finally {
      await serving.stop();
    }
  },
});

/** Returns a file for NODE_EXTRA_CA_CERTS: the service's certificate and what the user trusts. */
function trustedFile({ cert, known }: Https, trusted: string, folder: string): string {
  if (known === "" || known.includes(cert.trim())) return trusted;
  const file = join(folder, "authorities.pem");
  writeOwnFile(file, `${known}\n${cert}`);
  return file;
}

/** Reports a command that cannot start, always on stderr: stdout belongs to the command. */
async function reportNotStarted(
  context: Session,
  [command, ...args]: readonly [string, ...string[]],
  error: unknown,
): Promise<ExitCode> {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall?.startsWith("spawn") !== true) throw error;
  const name = safeText(command);
  const isMissing = code === "ENOENT" || code === "ENOTDIR";
  const problem = isMissing ? "was not found" : `cannot be run (${code})`;
  const isLine = isMissing && args.length === 0 && /\s/.test(command);
  const hint = isLine
    ? `it is one argument; without quotes: sendctl local run -- ${name}`
    : startHint(code);
  await context.output.printError(
    `${name} ${problem}${hint === undefined ? "" : `\nhint: ${hint}`}`,
  );
  return isMissing ? exitCodes.no_program : exitCodes.not_runnable;
}

/**
 * Returns the hint for a program that cannot be started.
 *
 * @param code of the system's error
 */
export function startHint(
  code: string | undefined,
  system: NodeJS.Platform = platform,
): string | undefined {
  // Node starts no scripts without a shell there: it finds no `npm`, and rejects `npm.cmd`.
  if (system === "win32" && (code === "ENOENT" || code === "EINVAL")) {
    return "pass a program on the PATH, or start a script through cmd.exe: -- cmd /c npm test";
  }
  if (code === "ENOENT" || code === "ENOTDIR") {
    return "pass a program on the PATH, or the path of one";
  }
  return code === "EACCES" ? "check that it is an executable program" : undefined;
}
