import type { Session } from "../../command/session.ts";
import { required } from "../../command/arguments.ts";
import {
  defineCommand,
  flag,
  optional,
  text,
  type ExitCodes,
  type Values,
} from "../../command/define-command.ts";
import type { BackgroundService } from "../../config/services.ts";
import { optionWords } from "../../config/target.ts";
import { SendctlError } from "../../core/error.ts";
import { safeText, shellWord } from "../../core/text.ts";
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
    await readSeed(context, seed);
    await readTls(options, "127.0.0.1", context);
    await behaviourOf(options, context);
    openEnvFile(writeEnv, input.path);
    const { start } = await local.background();
    const file = input.path(writeEnv);
    const service = await start(wordsOf(options, file), file);
    const code = await output.record(doneReply("Service started", recordOf(service)), view);
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

/** Returns the options of `serve`, whose first line on standard output is an envelope. */
function wordsOf(
  { port = "0", ...options }: Values<typeof startOptions>,
  writeEnv: string,
): readonly string[] {
  const given = Object.entries({ ...options, port, writeEnv, quiet: true });
  const words = given.flatMap(([key, value]) => {
    const name = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof value === "boolean") return value ? [name] : [];
    return [value].flat().flatMap((text) => optionWords(name, text));
  });
  return ["--temporary", "--background", "--json", ...words];
}

function recordOf({ base_url, env_file, pid, started_at }: BackgroundService) {
  return { base_url, env_file, pid, started_at };
}

/** Returns the services that exist, or the one of a file. */
async function existing({ local, input }: Session, file: string | undefined) {
  const background = await local.background();
  return background.existing(file === undefined ? undefined : input.path(file));
}

function notRunning(file: string | undefined): SendctlError {
  const message =
    file === undefined ? "no service is running" : `no service is running for ${file}`;
  const hint = "sendctl local start --write-env service.env";
  return new SendctlError("not_found", message, { hint });
}

function notResponding({ env_file: file, pid }: BackgroundService): SendctlError {
  const message = `the service for ${file} (process ${pid}) does not respond`;
  const hint = `continue or end process ${pid}, then: sendctl local stop ${shellWord(file)}`;
  return new SendctlError("unavailable", message, { hint });
}

const file = optional("its --write-env file, if several services are running", { takes: "file" });
const exitCodes: ExitCodes = [
  [4, "no such service is running"],
  [8, "the service does not respond"],
];

export const localStop = defineCommand({
  path: "local stop",
  summary: "Stop a background service",
  description: "Stop a service started by `local start`, and remove its file.",
  args: { file },
  exitCodes,
  examples: ["sendctl local stop", "sendctl local stop service.env"],
  async run(context, given) {
    const found = await existing(context, given.file);
    const [service, ...others] = found;
    if (service === undefined) throw notRunning(given.file);
    if (others.length > 0) {
      const files = found.map(({ env_file }) => env_file).join(", ");
      const hint = "pass the file of one of them";
      throw new SendctlError("usage", `${found.length} services are running: ${files}`, { hint });
    }
    const { stop } = await context.local.background();
    const isStopped = service.state !== "silent" && (await stop(service));
    if (!isStopped) throw notResponding(service);
    const message = `Stopped the service for ${service.env_file}`;
    return context.output.done(doneReply(safeText(message), null));
  },
});

export const localStatus = defineCommand({
  path: "local status",
  summary: "Show background services",
  description: "Show the services started by `local start`, or that of a file.",
  args: { file },
  exitCodes,
  examples: ["sendctl local status", "sendctl local status service.env --json"],
  async run(context, given) {
    const { output } = context;
    const services = await existing(context, given.file);
    const [service, ...others] = services;
    if (service === undefined) throw notRunning(given.file);
    if (others.length === 0) {
      if (service.state === "silent") throw notResponding(service);
      const message = service.state === "starting" ? "Starting" : "Running";
      return output.record(doneReply(message, recordOf(service)), view);
    }
    for (const silent of services.filter(({ state }) => state === "silent")) {
      await output.warn(safeText(notResponding(silent).message));
    }
    const lines = services.map((found) => lineOf(recordOf(found)));
    return output.page(onePageReply("Services running", lines), view);
  },
});
