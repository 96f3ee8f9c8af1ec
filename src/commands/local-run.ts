import type { Context } from "../context.ts";
import { exitCodes, passedOn, type ExitCode } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { safeText } from "../io/safe-text.ts";
import { fillService } from "./fill-service.ts";
import { createRequestLog } from "./request-log.ts";
import { behaviourOf, type ServiceOptions } from "./service-options.ts";

export interface RunOptions extends ServiceOptions {
  readonly seed?: readonly string[];
}

type Signal = Parameters<Parameters<Context["onSignal"]>[1]>[0];

/** Those that a terminal sends to whoever runs at it, so that the command has them already. */
const ofKeys: readonly Signal[] = ["SIGINT", "SIGQUIT"];
const signals: readonly Signal[] = [...ofKeys, "SIGTERM", "SIGHUP"];

/**
 * Runs a command with a service of its own, which is gone when the command has ended, however it did.
 *
 * @returns the command's own exit code; 127 where it is not found, 126 where it can't be run
 */
export async function runLocally(
  context: Context,
  words: readonly string[],
  options: RunOptions,
): Promise<ExitCode> {
  const [command, ...args] = words;
  if (command === undefined || command === "") {
    throw new Failure("usage", "COMMAND is missing: give it after --, like `-- npm test`");
  }
  const behaviour = behaviourOf(options);
  const early: Signal[] = [];
  let hear = (signal: Signal): void => void early.push(signal);
  context.onSignal(signals, (signal) => hear(signal));
  const log = createRequestLog(context);
  const served = context.settings.debug ? log.served : (): void => {};
  const serving = await context.serveTemporarily({
    host: "127.0.0.1",
    port: 0,
    ...behaviour,
    served,
  });
  try {
    const { engine, port } = serving;
    const key = await newKey(engine.administration);
    if (options.seed !== undefined) {
      const service = await engine.service(undefined);
      const filled = await fillService(context, service, options.seed);
      if (filled !== exitCodes.done) return filled;
    }
    const base = `http://127.0.0.1:${port}`;
    await context.say(`Serving on ${base} for ${safeText(command)}`);
    if (early[0] !== undefined) throw stoppedBy(early[0]);
    const running = await context.run(command, args, environment(context.env, base, key));
    hear = (signal) => {
      if (!running.hearsTerminal || !ofKeys.includes(signal)) running.kill(signal);
    };
    for (const signal of early) hear(signal);
    return passedOn(await running.ended);
  } catch (error) {
    return await tellUnstarted(context, command, error);
  } finally {
    await serving.stop();
    await log.flush();
  }
}

function stoppedBy(signal: Signal): Failure {
  return ofKeys.includes(signal)
    ? new Failure("interrupted", "Interrupted: the command was not started")
    : new Failure("terminated", "Terminated: the command was not started");
}

async function newKey(
  administration: Awaited<ReturnType<Context["local"]>>["administration"],
): Promise<string> {
  const created = await administration.createKey("default");
  return (created.envelope!.data as { readonly secret_key: string }).secret_key;
}

/** All of ours, but that a sendctl in the command uses this service and no other. */
function environment(env: Context["env"], base: string, key: string): Context["env"] {
  const { SENDCTL_PROFILE: _, SENDCTL_DATABASE: __, ...others } = env;
  return { ...others, SENDCTL_BASE_URL: base, SENDCTL_SECRET_KEY: key };
}

/** Standard output is the command's alone, so this is told on stderr, whatever the format. */
async function tellUnstarted(context: Context, command: string, error: unknown): Promise<ExitCode> {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall?.startsWith("spawn") !== true) throw error;
  const name = safeText(command);
  if (code === "ENOENT" || code === "ENOTDIR") {
    await context.complain(`${name} was not found: name a program on the PATH, or the path of one`);
    return exitCodes.noProgram;
  }
  const meaning = code === "EACCES" ? "it is no program, or may not be run" : code;
  await context.complain(`${name} can't be run: ${meaning}`);
  return exitCodes.notRunnable;
}
