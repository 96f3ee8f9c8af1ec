import type { Capabilities } from "../../command/capabilities.ts";
import { missing } from "../../command/arguments.ts";
import { defineCommand, flag, optional, text, type Values } from "../../command/define-command.ts";
import type { BackgroundService } from "../../config/services.ts";
import { optionWords } from "../../config/target.ts";
import { SendctlError } from "../../core/error.ts";
import { safeText } from "../../core/text.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import type { RecordView } from "../../output/views.ts";
import { doneReply } from "../../service/lines.ts";
import { openEnvFile } from "../serve/env-file.ts";
import { readSeed } from "../serve/seed.ts";
import {
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
  },
  columns: ["base_url", "env_file", "pid"],
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
    const { writeEnv, port, seed, keyFromEnv } = options;
    if (writeEnv === undefined)
      throw missing("--write-env FILE", "sendctl local start --write-env service.env");
    // What `serve` would refuse is reported before a process is started.
    const isSeed = seed.includes("-");
    if (isSeed || options.behaviour === "-") {
      const setting = isSeed ? "--seed" : "--behaviour";
      const message = `${setting} -: a background service has no standard input`;
      throw new SendctlError("usage", message, { hint: `pass a file to ${setting}`, setting });
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
    return shown(output, await start(wordsOf(options, file), file), "Service started");
  },
});

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
    "--quiet",
    ...texts.flatMap(([name, value]) => (value === undefined ? [] : optionWords(name, value))),
    ...Object.entries(flags).flatMap(([name, isGiven]) => (isGiven ? [name] : [])),
  ];
}

function shown(
  output: Capabilities["output"],
  { base_url, env_file, pid }: BackgroundService,
  message: string,
): Promise<ExitCode> {
  return output.record(doneReply(message, { base_url, env_file, pid }), view);
}

/** Returns the service of a file, or the only one. @throws SendctlError "not_found" for none, "usage" for several */
async function chosen(
  { local, input }: Capabilities,
  file: string | undefined,
): Promise<BackgroundService> {
  const running = await (await local.background()).running();
  const found =
    file === undefined ? running : running.filter(({ env_file }) => env_file === input.path(file));
  const [service, ...others] = found;
  if (service === undefined) {
    const message =
      file === undefined ? "no service is running" : `no service is running for ${file}`;
    throw new SendctlError("not_found", message, {
      hint: "sendctl local start --write-env service.env",
    });
  }
  if (others.length === 0) return service;
  const files = found.map(({ env_file }) => env_file).join(", ");
  throw new SendctlError("usage", `${found.length} services are running: ${files}`, {
    hint: "pass the file of one of them",
  });
}

const file = optional("its --write-env file, if several services are running", { takes: "file" });

export const localStop = defineCommand({
  path: "local stop",
  summary: "Stop a background service",
  description: "Stop a service started by `local start`, and remove its file.",
  args: { file },
  exitCodes: [[4, "no such service is running"]],
  examples: ["sendctl local stop", "sendctl local stop service.env"],
  async run(context, given) {
    const service = await chosen(context, given.file);
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
  summary: "Show a background service",
  description: "Show a service started by `local start`.",
  args: { file },
  exitCodes: [[4, "no such service is running"]],
  examples: ["sendctl local status", "sendctl local status service.env --json"],
  async run(context, given) {
    const service = await chosen(context, given.file);
    return shown(context.output, service, service.base_url === null ? "Starting" : "Running");
  },
});
