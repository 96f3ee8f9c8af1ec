import { closeSync, existsSync, fstatSync, rmSync, statSync } from "node:fs";
import type { Session } from "../../command/session.ts";
import { emptyValue, required } from "../../command/arguments.ts";
import { defineCommand, flag, optional, text, type Values } from "../../command/define-command.ts";
import type { BackgroundService } from "../../config/services.ts";
import { optionWords } from "../../config/target.ts";
import { SendctlError } from "../../core/error.ts";
import { fileHint } from "../../core/files.ts";
import { openToAppend } from "../../core/own-file.ts";
import { capitalized, safeText, shellWord } from "../../core/text.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { timeCell, type RecordView } from "../../output/views.ts";
import { doneReply, lineOf, onePageReply } from "../../service/lines.ts";
import { openEnvFile } from "../serve/env-file.ts";
import {
  readSeed,
  behaviourOf,
  behaviourOptions,
  givenKey,
  portOf,
  readTls,
  suiteOptions,
  tlsOptions,
} from "../serve/service-options.ts";

const startOptions = {
  writeEnv: text("--write-env <file>", "file for the base URL and the key (required)", {
    takes: "file",
  }),
  port: text("--port <n>", "port (default: any free port)"),
  log: text("--log <file>", "file for the log of its requests, which stays", { takes: "file" }),
  ...suiteOptions,
  ...tlsOptions,
  keyFromEnv: flag("--key-from-env", "accept the key in SENDCTL_SECRET_KEY"),
  ...behaviourOptions,
};

const view: RecordView = {
  key: "base_url",
  fields: {
    base_url: { label: "Base URL" },
    env_file: { label: "File" },
    pid: { label: "Process" },
    started_at: { label: "Started", cell: timeCell },
  },
  columns: ["base_url", "env_file", "pid", "started_at"],
};

export const localStart = defineCommand({
  path: "local start",
  summary: "Start a temporary service in the background",
  description:
    "Start a temporary service in the background, and return as soon as it responds. The --write-env file holds its base URL and key until `sendctl local stop`.",
  options: startOptions,
  exitCodes: [
    [5, "a service with that file is running or starting"],
    [8, "the service did not start"],
  ],
  examples: [
    "sendctl local start --write-env service.env",
    "sendctl local start --write-env service.env --seed sendctl.yaml --control",
  ],
  async run(context, _, options) {
    const { local, input, output, processes } = context;
    const { port, seed, keyFromEnv } = options;
    const writeEnv = await required(
      context.ask,
      options.writeEnv,
      "--write-env FILE",
      "File for the base URL and the key",
      "sendctl local start --write-env service.env",
    );
    // What `serve` would refuse is reported before a process is started.
    const isSeed = seed.includes("-");
    if (isSeed || options.behaviour === "-") {
      const setting = isSeed ? "--seed" : "--behaviour";
      const message = `${setting} -: a background service has no standard input`;
      throw new SendctlError("usage", message, {
        hint: `pass a file to ${setting}`,
        field: setting,
      });
    }
    portOf(port);
    if (keyFromEnv) givenKey(processes.env["SENDCTL_SECRET_KEY"]);
    const checked = await readSeed(context, seed);
    if (typeof checked === "number") return checked;
    await readTls(options, "127.0.0.1", context);
    await behaviourOf(options, context);
    openEnvFile(writeEnv, input.path);
    const { start } = await local.background();
    const file = input.path(writeEnv);
    const log = options.log === undefined ? undefined : logFile(options.log, input.path, file);
    const service = await start(wordsOf(options, file), file, log);
    const code = await shown(output, service, "Service started");
    const word = shellWord(writeEnv);
    await output.say(safeText(`Use it:  set -a; . ${sourced(word)}; set +a`));
    await output.say(safeText(`Stop it: sendctl local stop ${word}`));
    return code;
  },
});

/** Returns a file as a shell sources it: a name without a slash would be looked for on the PATH. */
function sourced(word: string): string {
  return word.includes("/") ? word : `./${word}`;
}

/**
 * Returns the path of the file of `--log`.
 *
 * @param envFile the path of the file of `--write-env`
 * @throws SendctlError "usage" if it cannot be appended to, or is that file
 */
function logFile(given: string, pathOf: (file: string) => string, envFile: string): string {
  if (given === "") throw emptyValue("--log", "pass a file, or omit --log");
  const path = pathOf(given);
  const refuse = (problem: string, hint: string): SendctlError =>
    new SendctlError("usage", `--log ${given} ${problem}`, { hint, field: "--log" });
  let isEnvFile: boolean;
  try {
    const isNew = !existsSync(path);
    const descriptor = openToAppend(path);
    // Also under another spelling, or through a linked folder.
    const log = fstatSync(descriptor, { bigint: true });
    const env = statSync(envFile, { bigint: true, throwIfNoEntry: false });
    closeSync(descriptor);
    isEnvFile = log.ino === env?.ino && log.dev === env.dev;
    if (isEnvFile && isNew) rmSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(`cannot be written (${code})`, `${fileHint(error)}, or pass another file`);
  }
  if (isEnvFile)
    throw refuse("is also the file of --write-env", "pass another file to one of them");
  return path;
}

/** Returns the options of `serve`, whose first line on standard output is an envelope. */
function wordsOf(options: Values<typeof startOptions>, file: string): readonly string[] {
  const { port = "0", seed, fault, control, keyFromEnv, logBodies: hasBodies } = options;
  const { behaviour, rateLimit, autoApproveAfter } = options;
  const texts = [
    ["--write-env", file],
    ["--port", port],
    ...seed.map((given) => ["--seed", given]),
    ...fault.map((given) => ["--fault", given]),
    ["--behaviour", behaviour],
    ["--tls-cert", options.tlsCert],
    ["--tls-key", options.tlsKey],
    ["--rate-limit", rateLimit],
    ["--auto-approve-after", autoApproveAfter],
  ] as const;
  const flags = {
    "--inspect": options.inspect,
    "--control": control,
    "--key-from-env": keyFromEnv,
    "--log-bodies": hasBodies,
  };
  return [
    "--temporary",
    "--json",
    ...(options.log === undefined ? ["--quiet"] : []),
    ...texts.flatMap(([name, value]) => (value === undefined ? [] : optionWords(name, value))),
    ...Object.entries(flags).flatMap(([name, isGiven]) => (isGiven ? [name] : [])),
  ];
}

function shown(
  output: Session["output"],
  service: BackgroundService,
  message: string,
): Promise<ExitCode> {
  return output.record(doneReply(message, recordOf(service)), view);
}

function recordOf({ base_url, env_file, pid, started_at }: BackgroundService) {
  return { base_url, env_file, pid, started_at };
}

/** Returns the services that run, or the one of a file. */
async function runningFor(
  { local, input }: Session,
  file: string | undefined,
): Promise<readonly BackgroundService[]> {
  const running = await (await local.background()).running();
  return file === undefined
    ? running
    : running.filter(({ env_file }) => env_file === input.path(file));
}

function notRunning(file: string | undefined): SendctlError {
  const message =
    file === undefined ? "no service is running" : `no service is running for ${file}`;
  const hint = "sendctl local start --write-env service.env";
  return new SendctlError("not_found", message, { hint });
}

const file = optional("its --write-env file, if several services are running", { takes: "file" });

export const localStop = defineCommand({
  path: "local stop",
  summary: "Stop a background service",
  description: "Stop a service started by `local start`, and remove its file.",
  args: { file },
  options: { ifRunning: flag("--if-running", "succeed if no such service is running") },
  exitCodes: [[4, "no such service is running"]],
  examples: ["sendctl local stop", "sendctl local stop service.env --if-running"],
  async run(context, given, { ifRunning }) {
    const found = await runningFor(context, given.file);
    const [service, ...others] = found;
    if (service === undefined) {
      const none = notRunning(given.file);
      if (!ifRunning) throw none;
      return context.output.done(doneReply(capitalized(safeText(none.message)), null));
    }
    if (others.length > 0) {
      const files = found.map(({ env_file }) => env_file).join(", ");
      const hint = "pass the file of one of them";
      throw new SendctlError("usage", `${found.length} services are running: ${files}`, { hint });
    }
    const { env_file, pid } = service;
    const { stop } = await context.local.background();
    if (!(await stop(service))) {
      const message = `process ${pid}, which serves ${env_file}, does not exit`;
      throw new SendctlError("unavailable", message);
    }
    return context.output.done(doneReply(safeText(`Stopped the service for ${env_file}`), null));
  },
});

export const localStatus = defineCommand({
  path: "local status",
  summary: "Show background services",
  description: "Show the services started by `local start`, or that of a file.",
  args: { file },
  exitCodes: [[4, "no such service is running"]],
  examples: ["sendctl local status", "sendctl local status service.env --json"],
  async run(context, given) {
    const services = await runningFor(context, given.file);
    const [service, ...others] = services;
    if (service === undefined) throw notRunning(given.file);
    if (others.length > 0) {
      const lines = services.map((running) => lineOf(recordOf(running)));
      return context.output.page(onePageReply("Services running", lines), view);
    }
    return shown(context.output, service, service.base_url === null ? "Starting" : "Running");
  },
});
