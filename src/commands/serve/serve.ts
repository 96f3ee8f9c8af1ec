import type { Capabilities } from "../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../contract/error.ts";
import { openLogFile } from "../../request-log/log-file.ts";
import { safeText } from "../../output/safe-text.ts";
import { wholeNumber } from "../arguments.ts";
import { createRequestLog } from "../../request-log/request-log.ts";
import { logLine, type Served } from "../../request-log/served-request.ts";
import { behaviourOf, type ServiceOptions } from "./service-options.ts";
import { defineCommand, text } from "../../cli/define-command.ts";
import { behaviourOptions } from "./behaviour-options.ts";

export const serve = defineCommand({
  path: "serve",
  description:
    "Serve the embedded engine over HTTP, for any client of the service. It prints the environment variables that a client needs.",
  options: {
    host: text("--host <address>", "address to listen on", { default: "127.0.0.1" }),
    port: text("--port <n>", "port to listen on; 0 for any free port", { default: "4010" }),
    ...behaviourOptions,
  },
  examples: [
    "sendctl serve",
    "sendctl serve --port 0 --rate-limit 10 --json",
    "sendctl serve --auto-approve-after 5s --fault 'group.create:status=503,times=2'",
  ],
  async run(context, _, options) {
    return serveEngine(context, options);
  },
});

interface ServeOptions extends ServiceOptions {
  readonly host?: string;
  readonly port?: string;
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;
const everywhere = /^(?:0\.0\.0\.0|::)$/;

/** Serves the embedded engine until it is asked to stop; what has begun by then is answered. */
async function serveEngine(context: Capabilities, options: ServeOptions): Promise<ExitCode> {
  const stopped = context.processes.stopped();
  const host = options.host ?? "127.0.0.1";
  if (host === "")
    throw new SendctlError("usage", "--host is empty: give an address of this machine");
  const settings = { host, port: portOf(options), ...behaviourOf(options) };
  const log = createRequestLog(context.output, context.config.settings.quiet);
  const file = context.local.requestLog();
  const kept = openLogFile(file, ({ code }) => {
    const what = `the requests can't be kept in ${file} (${code}), and \`local log\` lacks them`;
    void context.output.warn(safeText(what));
  });
  let problem: string | undefined;
  const served = (request: Served): void => {
    // Once, and not for each request that fails because of it.
    if (request.problem !== undefined && request.problem !== problem) {
      problem = request.problem;
      void context.output.warn(safeText(problem));
    }
    log.served(request);
    kept.add(logLine(request));
  };
  const serving = await context.local.serve({ ...settings, served });
  try {
    const name = everywhere.test(host) ? "127.0.0.1" : host;
    const base = `http://${name.includes(":") ? `[${name}]` : name}:${serving.port}`;
    await introduce(context, base, await firstKey(serving.engine.administration));
    if (!loopback.test(host)) {
      await context.output.warn(
        `${host} can be reached from other machines, and what they send travels unencrypted`,
      );
    }
    for (const { text, operations } of settings.faults) {
      const which = [...operations].join(", ");
      await context.output.say(`Fault on purpose: ${text} · ${which}`);
    }
    await context.output.say(`Listening on ${base} · database ${context.config.settings.database}`);
    const signal = await stopped;
    await context.output.say(`${signal}: stopping once what has begun is answered`);
  } finally {
    await serving.stop();
    await Promise.all([log.flush(), kept.close()]);
  }
  return exitCodes.done;
}

function portOf({ port }: ServeOptions): number {
  const number = wholeNumber(port, "--port") ?? 4010;
  if (number >= 0 && number <= 65_535) return number;
  throw new SendctlError("usage", `--port is "${port}": it must be from 0 to 65535`);
}

type Administration = Awaited<ReturnType<Capabilities["local"]["engine"]>>["administration"];

/** A key for a database that has none yet; it can't be shown again. */
async function firstKey(administration: Administration): Promise<string | undefined> {
  const listed = await administration.listKeys();
  const { total } = listed.envelope!.data as { readonly total: number };
  if (total > 0) return undefined;
  const created = await administration.createKey("default");
  return (created.envelope!.data as { readonly secret_key: string }).secret_key;
}

/** What a client needs, on stdout: lines for a shell, or an envelope. */
async function introduce(
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
  if (key !== undefined) await context.output.say("A first key was issued; it is not shown again");
}
