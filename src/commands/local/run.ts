import type { Capabilities } from "../../cli/capabilities.ts";
import { exitCodes, passedOn, type ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../contract/error.ts";
import { openLogFile, type LogFile } from "../../request-log/log-file.ts";
import { safeText } from "../../output/safe-text.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { createRequestLog } from "../../request-log/request-log.ts";
import { instanceOf } from "../serve/instance-option.ts";
import {
  announceBehaviour,
  behaviourOf,
  behaviourOptions,
  type ServiceOptions,
} from "../serve/service-options.ts";
import { defineCommand, repeated, variadic } from "../../cli/define-command.ts";
import { missing } from "../arguments.ts";
import { startHint } from "./start-hint.ts";

export const localRun = defineCommand({
  path: "local run",
  summary: "Run a command with a temporary service",
  description:
    "Run a command with a temporary service on a free port, over a database that is deleted afterwards. The command gets its address and key in SENDCTL_BASE_URL and SENDCTL_SECRET_KEY, and its exit code is passed on.",
  args: { command: variadic("command and its arguments, after --", { takes: "file" }) },
  options: {
    ...behaviourOptions,
    seed: repeated(
      "--seed <file>",
      "manifest of the initial records, as for `apply -f`; may be repeated",
      {
        takes: "file",
      },
    ),
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
  async run(context, { command }, options) {
    return runLocally(context, command, options);
  },
});

interface RunOptions extends ServiceOptions {
  readonly seed?: readonly string[];
}

type Signal = Parameters<Parameters<Capabilities["processes"]["onSignal"]>[1]>[0];

/** Signals from keys, which a terminal sends to the command as well. */
const keySignals: readonly Signal[] = ["SIGINT", "SIGQUIT"];
const signals: readonly Signal[] = [...keySignals, "SIGTERM", "SIGHUP"];

/**
 * Runs a command with a temporary service, which is removed however the command ends.
 *
 * @returns the exit code of the command; 127 if it is not found, 126 if it cannot be run
 */
async function runLocally(
  context: Capabilities,
  words: readonly string[],
  options: RunOptions,
): Promise<ExitCode> {
  const [command, ...args] = words;
  if (command === undefined || command === "") {
    throw missing("COMMAND", "pass it after --, such as -- npm test");
  }
  const settings = await behaviourOf(options, context);
  // Read before signals are caught, so that a signal still ends a process that waits for input.
  const manifest = await manifestOf(context, options);
  if (typeof manifest === "number") return manifest;
  const early: Signal[] = [];
  let onSignal = (signal: Signal): void => void early.push(signal);
  context.processes.onSignal(signals, (signal) => onSignal(signal));
  const refuseStopped = (): void => {
    if (early[0] !== undefined) throw stoppedBy(early[0]);
  };
  const { debug, quiet } = context.config.settings;
  let logFile: LogFile | undefined;
  const log = createRequestLog(context.output, {
    instance: instanceOf(undefined),
    isPrinted: debug && !quiet,
    addToFile: (line) => logFile?.add(line),
  });
  const serving = await context.local.serveTemporarily({
    host: "127.0.0.1",
    port: 0,
    ...settings,
    served: log.served,
  });
  try {
    const { engine, port, database, requestLog } = serving;
    // `local log` in the command reads it. It is deleted with the database.
    logFile = openLogFile(requestLog, () => {});
    const key = await newKey(engine.administration);
    if (manifest !== undefined) {
      const service = await engine.service(undefined);
      const { fillService } = await import("../manifest/fill-service.ts");
      const filled = await fillService(context, service, manifest, refuseStopped);
      if (filled !== exitCodes.done) return filled;
    }
    const base = `http://127.0.0.1:${port}`;
    await announceBehaviour(context, options.behaviour, engine.changed);
    await context.output.say(`Serving on ${base} for ${safeText(command)}`);
    refuseStopped();
    const env = environment(context.processes.env, { base, key, database });
    const running = await context.processes.run(command, args, env);
    onSignal = (signal) => {
      if (!running.sharesTerminal || !keySignals.includes(signal)) running.kill(signal);
    };
    for (const signal of early) onSignal(signal);
    return passedOn(await running.ended);
  } catch (error) {
    return await reportNotStarted(context, command, error);
  } finally {
    await serving.stop();
    logFile?.close();
    await log.flush();
  }
}

/** Reads the manifest. Returns the exit code if it has errors, which are reported; undefined without `--seed`. */
async function manifestOf(
  context: Capabilities,
  { seed }: RunOptions,
): Promise<Manifest | ExitCode | undefined> {
  if (seed === undefined || seed.length === 0) return undefined;
  const { readManifest } = await import("../manifest/desired-state.ts");
  return readManifest(context, seed);
}

function stoppedBy(signal: Signal): SendctlError {
  const kind = keySignals.includes(signal) ? "cancelled" : "terminated";
  return new SendctlError(kind, "Interrupted: the command was not started");
}

async function newKey(
  administration: Awaited<ReturnType<Capabilities["local"]["engine"]>>["administration"],
): Promise<string> {
  const created = await administration.createKey("default");
  return (created.envelope!.data as { readonly secret_key: string }).secret_key;
}

/** Returns our environment, changed so that sendctl in the command uses this service and its database. */
function environment(
  env: Capabilities["processes"]["env"],
  {
    base,
    key,
    database,
  }: { readonly base: string; readonly key: string; readonly database: string },
): Capabilities["processes"]["env"] {
  const { SENDCTL_PROFILE: _, ...others } = env;
  return {
    ...others,
    SENDCTL_BASE_URL: base,
    SENDCTL_SECRET_KEY: key,
    SENDCTL_DATABASE: database,
  };
}

/** Reports a command that cannot be started. It goes to stderr in every format: stdout belongs to the command. */
async function reportNotStarted(
  context: Capabilities,
  command: string,
  error: unknown,
): Promise<ExitCode> {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall?.startsWith("spawn") !== true) throw error;
  const name = safeText(command);
  const isMissing = code === "ENOENT" || code === "ENOTDIR";
  const problem = isMissing ? "was not found" : `cannot be run (${code})`;
  const hint = startHint(code);
  await context.output.complain(`${name} ${problem}${hint === undefined ? "" : `\nhint: ${hint}`}`);
  return isMissing ? exitCodes.no_program : exitCodes.not_runnable;
}
