import { SendctlError } from "../contract/error.ts";
import { formatNames, printsFailures, type FormatName } from "../output/formats/formats.ts";
import { parseDuration } from "./duration.ts";
import type { Source, TargetOptions } from "./choose-target.ts";
import { resolveTarget, type Target } from "./target.ts";
import type { Config } from "./profiles.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** The global options, as given on the command line. */
export interface GlobalOptions extends TargetOptions {
  readonly output?: string;
  readonly json?: boolean;
  readonly csvSafe?: boolean;
  /** A JMESPath expression. */
  readonly query?: string;
  /** False for `--no-color`, `--no-input`. */
  readonly color?: boolean;
  readonly input?: boolean;
  readonly timeout?: string;
  readonly retries?: string;
  readonly insecureHttp?: boolean;
  readonly quiet?: boolean;
  readonly debug?: boolean;
  readonly dryRun?: boolean;
  /** Set by commands that diagnose invalid settings, not an option: see src/config/lenient-settings.ts. */
  readonly forgiving?: true;
}

/** Resolved settings of a command. Flags take precedence over environment, profile and default, in this order. */
export interface Settings extends Omit<Target, "targetSources"> {
  readonly format: FormatName;
  readonly quiet: boolean;
  readonly debug: boolean;
  /** Whether requests are shown instead of sent. */
  readonly dryRun: boolean;
  /** Whether the settings allow prompts. */
  readonly mayAsk: boolean;
  /** Timeout of one attempt to reach the remote service, in milliseconds. */
  readonly timeout: number;
  /** Number of attempts after the first. */
  readonly retries: number;
  /** Whether the key may cross a network unencrypted. */
  readonly insecureHttp: boolean;
  /** The source of each setting. */
  readonly sources: Target["targetSources"] &
    Readonly<Record<"output" | "timeout" | "retries", Source>>;
}

/** In milliseconds. */
const defaultTimeout = 30_000;
const defaultRetries = 2;

/**
 * Resolves the settings of a command.
 *
 * @param config undefined for commands that ignore profiles
 * @throws SendctlError "usage" that names the invalid flag, variable or profile
 */
export function resolveSettings(
  options: GlobalOptions,
  runtime: Runtime,
  config: Config | undefined,
): Settings {
  const { env } = runtime;
  const { targetSources, ...target } = resolveTarget(options, runtime, config);
  const sourceOf = (option: unknown, variable: string): Source => {
    if (option !== undefined) return "flag";
    return given(env[variable]) === undefined ? "default" : "environment";
  };
  return {
    ...target,
    format: resolveFormat(options, env),
    quiet: options.quiet === true,
    debug: options.debug === true,
    dryRun: options.dryRun === true,
    mayAsk: options.input !== false && !isOn(env["CI"]) && !isOn(env["SENDCTL_NO_INPUT"]),
    timeout: resolveTimeout(options, env),
    retries: resolveRetries(options, env),
    insecureHttp: options.insecureHttp === true,
    sources: {
      ...targetSources,
      output: sourceOf(options.json ?? options.output, "SENDCTL_OUTPUT"),
      timeout: sourceOf(options.timeout, "SENDCTL_TIMEOUT"),
      retries: sourceOf(options.retries, "SENDCTL_RETRIES"),
    },
  };
}

function resolveTimeout({ timeout }: GlobalOptions, env: Runtime["env"]): number {
  const text = timeout ?? given(env["SENDCTL_TIMEOUT"]);
  if (text === undefined) return defaultTimeout;
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  const source = timeout === undefined ? "SENDCTL_TIMEOUT" : "--timeout";
  throw new SendctlError("usage", `invalid duration "${text}" for ${source}`, {
    hint: "use a duration such as 500ms, 30s, 10m or 2h",
    setting: source,
  });
}

function resolveRetries({ retries }: GlobalOptions, env: Runtime["env"]): number {
  const text = retries ?? given(env["SENDCTL_RETRIES"]);
  if (text === undefined) return defaultRetries;
  if (/^\d{1,3}$/.test(text)) return Number(text);
  const source = retries === undefined ? "SENDCTL_RETRIES" : "--retries";
  throw new SendctlError("usage", `invalid number "${text}" for ${source}`, {
    hint: "use a whole number from 0 to 999",
    setting: source,
  });
}

/** Treats an empty variable as unset. */
function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** Returns whether a switch in the environment is set, and not to "0" or "false". */
function isOn(value: string | undefined): boolean {
  return !["", "0", "false"].includes((value ?? "").toLowerCase());
}

function resolveFormat({ json, output }: GlobalOptions, env: Runtime["env"]): FormatName {
  if (json === true && output !== undefined && output !== "json") {
    throw new SendctlError("usage", `--json contradicts --output ${output}`, {
      hint: "pass one of them",
      setting: "--output",
    });
  }
  if (json === true) return "json";
  const fromEnvironment = given(env["SENDCTL_OUTPUT"]);
  const wanted = output ?? fromEnvironment ?? "table";
  const format = formatNames.find((known) => known === wanted);
  if (format === undefined) {
    const source = output === undefined ? "SENDCTL_OUTPUT" : "--output";
    throw new SendctlError("usage", `invalid output format "${wanted}" for ${source}`, {
      hint:
        wanted === "wide"
          ? "choose the fields of a list with --columns"
          : `use one of ${formatNames.join(", ")}`,
      setting: source,
    });
  }
  return format;
}

/**
 * Returns whether a stream gets colours. NO_COLOR and `--no-color` disable them on a terminal; FORCE_COLOR overrides the
 * detection of a terminal.
 */
export function takesColour(
  isTerminal: boolean,
  options: Pick<GlobalOptions, "color">,
  env: Runtime["env"],
): boolean {
  if (options.color === false || given(env["NO_COLOR"]) !== undefined) return false;
  const forced = given(env["FORCE_COLOR"]);
  if (forced !== undefined) return isOn(forced);
  return isTerminal && env["TERM"] !== "dumb";
}

/** Returns whether errors are printed as JSON. @param argv arguments that may be invalid */
export function asksForJson(argv: readonly string[], env: Runtime["env"]): boolean {
  const end = argv.indexOf("--");
  const options = end < 0 ? argv : argv.slice(0, end);
  let format = given(env["SENDCTL_OUTPUT"]);
  for (const [index, option] of options.entries()) {
    if (option === "--json") return true;
    if (option === "--output") format = options[index + 1];
    else if (option.startsWith("--output=")) format = option.slice("--output=".length);
    else {
      // Short options can be combined: -qojson.
      const [cluster, value] = /^-[a-zA-Z]*?o(.*)$/s.exec(option) ?? [];
      if (cluster !== undefined) format = value === "" ? options[index + 1] : value;
    }
  }
  return printsFailures(format);
}
