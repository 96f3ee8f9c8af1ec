import type { Capabilities } from "../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { targetOptions } from "../../config/target-name.ts";
import { shellWord } from "../../output/shell-word.ts";
import { durationText } from "../../config/duration.ts";
import { adminOf, baseOf, hostOf, isLoopback, portOf } from "./addresses.ts";
import { openEnvFile, type EnvFile } from "./env-file.ts";
import { openLogFile } from "../../request-log/log-file.ts";
import { safeText } from "../../output/safe-text.ts";
import { createRequestLog } from "../../request-log/request-log.ts";
import { logLine, type RequestLogEntry } from "../../request-log/served-request.ts";
import { announceBehaviour } from "./behaviour-file.ts";
import { behaviourOf, durationOf, type ServiceOptions } from "./service-options.ts";
import { defineCommand, text } from "../../cli/define-command.ts";
import { behaviourOptions } from "./behaviour-options.ts";

export const serve = defineCommand({
  path: "serve",
  description:
    "Serve the embedded engine over HTTP for any client of the service. Prints the environment variables that a client needs or, with --write-env, writes them to a file and does not show the key.",
  options: {
    host: text("--host <address>", "address to listen on", { default: "127.0.0.1" }),
    port: text("--port <n>", "port to listen on; 0 for any free port", { default: "4010" }),
    writeEnv: text(
      "--write-env <file>",
      "file to write SENDCTL_BASE_URL and SENDCTL_SECRET_KEY to, readable only by its owner",
      { takes: "file" },
    ),
    // The name that people try first. Node also reads it from the arguments of a script, and exits before the
    // script starts if the file does not exist.
    envFile: text("--env-file <file>", "same as --write-env", {
      takes: "file",
      conflicts: ["writeEnv"],
      isHidden: true,
    }),
    adminPort: text(
      "--admin-port <n>",
      "port for /metrics and health checks; 0 for any free port (default: none)",
    ),
    adminHost: text("--admin-host <address>", "address for --admin-port (default: 127.0.0.1)"),
    drain: text(
      "--drain <duration>",
      "time between SIGTERM and the end of new connections, like 5s, in which /readyz is 503",
      { default: "0s" },
    ),
    ...behaviourOptions,
  },
  examples: [
    "sendctl serve",
    "sendctl serve --write-env service.env",
    "sendctl serve --port 0 --rate-limit 10 --json",
    "sendctl serve --behaviour behaviour.yaml",
    "sendctl serve --auto-approve-after 5s --fault group.create:status=503",
  ],
  async run(context, _, options) {
    return serveEngine(context, options);
  },
});

interface ServeOptions extends ServiceOptions {
  readonly host?: string;
  readonly port?: string;
  readonly writeEnv?: string;
  readonly envFile?: string;
  readonly drain?: string;
  readonly adminPort?: string;
  readonly adminHost?: string;
}

/** Serves the embedded engine until a signal, and then finishes the requests in progress, unless another follows. */
async function serveEngine(context: Capabilities, options: ServeOptions): Promise<ExitCode> {
  const stopped = context.processes.stopped();
  const host = hostOf(options.host, "--host");
  const drain = durationOf(options.drain, "--drain") ?? 0;
  const admin = adminOf(options);
  const port = portOf(options.port, "--port") ?? 4010;
  const settings = { host, port, admin, ...(await behaviourOf(options, context)) };
  const envPath = options.writeEnv ?? options.envFile;
  const envFile = envPath === undefined ? undefined : openEnvFile(envPath, context.input.path);
  const log = createRequestLog(context.output, context.config.settings.quiet);
  const file = context.local.requestLog();
  const logFile = openLogFile(file, ({ code }) => {
    const text = `cannot log requests to ${file} (${code}); \`sendctl local log\` will lack them`;
    void context.output.warn(safeText(text));
  });
  let problem: string | undefined;
  const served = (request: RequestLogEntry): void => {
    // Warns once, not for each request that fails for this reason.
    if (request.problem !== undefined && request.problem !== problem) {
      problem = request.problem;
      void context.output.warn(safeText(problem));
    }
    log.served(request);
    logFile.add(logLine(request));
  };
  const serving = await context.local.serve({ ...settings, served });
  const endErrors = await context.processes.dropUnreadErrors();
  try {
    const base = baseOf(host, serving.port);
    if (envFile === undefined) {
      await printClientSettings(context, base, await firstKey(serving.engine.administration));
    } else {
      envFile.write(base, await keyForFile(serving.engine, envFile));
      await reportFile(context, base, envPath!);
    }
    for (const address of new Set([host, admin?.host ?? host])) {
      if (isLoopback(address)) continue;
      await context.output.warn(
        `${address} accepts connections from other machines, and their requests are not encrypted`,
      );
    }
    await announceBehaviour(context, options.behaviour, serving.engine.changed);
    for (const { text, operations } of settings.faults) {
      const which = [...operations].join(", ");
      await context.output.say(safeText(`Injected fault: ${text} · ${which}`));
    }
    await context.output.say(
      safeText(`Listening on ${base} · database ${context.config.settings.database}`),
    );
    if (admin !== undefined) {
      const { adminPort = admin.port } = serving;
      await context.output.say(`Metrics on ${baseOf(admin.host, adminPort)}/metrics`);
    }
    const signal = await stopped;
    void context.processes.stopped().then(serving.abort);
    const draining = serving.drain(drain);
    const first = drain === 0 ? "" : `draining for ${durationText(drain)}, then `;
    await context.output.say(`${signal}: ${first}stopping after the requests in progress`);
    await draining;
  } finally {
    await serving.stop();
    await Promise.all([log.flush(), logFile.close()]);
    await endErrors();
  }
  return exitCodes.done;
}

type Engine = Awaited<ReturnType<Capabilities["local"]["engine"]>>;
type Administration = Engine["administration"];

/** Creates a key if the database has none. It cannot be shown again. */
async function firstKey(administration: Administration): Promise<string | undefined> {
  const listed = await administration.listKeys();
  const { total } = listed.envelope!.data as { readonly total: number };
  return total > 0 ? undefined : newKey(administration);
}

/** Returns the key in the file if the database accepts it, else a new one. */
async function keyForFile({ administration, callerOf }: Engine, { key }: EnvFile): Promise<string> {
  const isValid = key !== undefined && (await callerOf(key)) !== undefined;
  return isValid ? key : newKey(administration);
}

async function newKey(administration: Administration): Promise<string> {
  const created = await administration.createKey("default");
  return (created.envelope!.data as { readonly secret_key: string }).secret_key;
}

/** Prints what a client needs on stdout: lines for a shell, or an envelope. */
async function printClientSettings(
  context: Capabilities,
  base: string,
  key: string | undefined,
): Promise<void> {
  const lines = [
    `export SENDCTL_BASE_URL=${base}`,
    ...(key === undefined ? [] : [`export SENDCTL_SECRET_KEY=${key}`]),
  ];
  await context.output.report({
    message: "Listening",
    data: { base_url: base, ...(key === undefined ? {} : { secret_key: key }) },
    text: `${lines.join("\n")}\n`,
  });
  await context.output.say(
    key === undefined
      ? `Existing keys cannot be shown again; to create another: ${keyCommandLine(context)}`
      : "Created the first key; it is not shown again",
  );
}

/** Returns the command line that creates a key in the served database. */
function keyCommandLine({ config }: Capabilities): string {
  const options = targetOptions(config.settings, true).map(shellWord);
  return safeText(["sendctl local key create", ...options].join(" "));
}

/** Prints the base URL, but not the key, which is only in the file. */
async function reportFile(context: Capabilities, base: string, file: string): Promise<void> {
  await context.output.report({
    message: "Listening",
    data: { base_url: base, env_file: file },
    text: `export SENDCTL_BASE_URL=${base}\n`,
  });
  await context.output.say(safeText(`Base URL and key written to ${file}`));
}
