import { parseDuration } from "../core/time.ts";
import { SendctlError } from "../core/error.ts";
import { formatNames, printsFailures, type FormatName } from "../output/formats/formats.ts";
import {
  given,
  profileVariable,
  resolveTarget,
  settingOf,
  type Source,
  type Target,
  type TargetOptions,
} from "./target.ts";
import type { Config } from "./profiles.ts";
import type { Runtime } from "../core/runtime.ts";

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
  /** Set by commands that diagnose invalid settings, not an option: see `lenientSettings`. */
  readonly lenient?: true;
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
  const { json, output } = options;
  if (json === true && output !== undefined && output !== "json") {
    throw new SendctlError("usage", `--json contradicts --output ${output}`, {
      hint: "pass one of them",
      setting: "--output",
    });
  }
  const format = readSetting(json === true ? "json" : output, "output", env);
  const timeout = readSetting(options.timeout, "timeout", env);
  const retries = readSetting(options.retries, "retries", env);
  return {
    ...target,
    format: formatNames.find((known) => known === (format.text ?? "table")) ?? refuse(format),
    quiet: options.quiet === true,
    debug: options.debug === true,
    dryRun: options.dryRun === true,
    mayAsk: options.input !== false && !isOn(env["CI"]) && !isOn(env["SENDCTL_NO_INPUT"]),
    timeout: parseDuration(timeout.text ?? "30s") ?? refuse(timeout),
    retries: /^\d{1,3}$/.test(retries.text ?? "2") ? Number(retries.text ?? "2") : refuse(retries),
    insecureHttp: options.insecureHttp === true,
    sources: {
      ...targetSources,
      output: format.source,
      timeout: timeout.source,
      retries: retries.source,
    },
  };
}

/** What settings take, and the hint for an invalid value. */
const kinds = {
  output: ["output format", `use one of ${formatNames.join(", ")}`],
  timeout: ["duration", "use a duration such as 500ms, 30s, 10m or 2h"],
  retries: ["number", "use a whole number from 0 to 999"],
} as const;

/** A setting as a flag or a variable gives it. */
interface Given {
  readonly name: keyof typeof kinds;
  /** Undefined for the default. */
  readonly text: string | undefined;
  readonly source: Source;
}

function readSetting(option: string | undefined, name: Given["name"], env: Runtime["env"]): Given {
  const text = option ?? given(env[`SENDCTL_${name.toUpperCase()}`]);
  if (option !== undefined) return { name, text, source: "flag" };
  return { name, text, source: text === undefined ? "default" : "environment" };
}

/** @throws SendctlError "usage" for the invalid value of a setting */
function refuse({ name, text, source }: Given): never {
  const [kind, hint] = kinds[name];
  const setting = settingOf(name, source)!;
  throw new SendctlError("usage", `invalid ${kind} "${text}" for ${setting}`, {
    hint:
      name === "output" && text === "wide" ? "choose the fields of a list with --columns" : hint,
    setting,
  });
}

/** Returns whether a switch in the environment is set, and not to "0" or "false". */
function isOn(value: string | undefined): boolean {
  return !["", "0", "false"].includes((value ?? "").toLowerCase());
}

/** Usable settings, and the errors of those that were ignored. */
export interface LenientSettings {
  readonly settings: Settings;
  readonly errors: readonly SendctlError[];
}

/**
 * Resolves settings for `doctor`, which reports invalid ones: ignores an invalid config file, the config with an unknown
 * profile, and invalid variables.
 *
 * @param readConfig throws SendctlError "usage" for an invalid config file
 * @throws SendctlError "usage" for an invalid flag
 */
export function lenientSettings(
  options: GlobalOptions,
  runtime: Runtime,
  readConfig: () => Config,
): LenientSettings {
  const errors: SendctlError[] = [];
  const env = { ...runtime.env };
  const corrected = Object.create(runtime, { env: { value: env } }) as Runtime;
  const note = (error: unknown): SendctlError => {
    if (!(error instanceof SendctlError) || error.kind !== "usage") throw error;
    errors.push(error);
    return error;
  };
  let config: Config | undefined;
  try {
    config = readConfig();
  } catch (error) {
    note(error);
  }
  for (;;) {
    try {
      return { settings: resolveSettings(options, corrected, config), errors };
    } catch (error) {
      const { setting } = note(error);
      // Ignoring SENDCTL_PROFILE would select another profile, so the whole config is ignored instead.
      const isProfile = setting === profileVariable;
      if (setting !== undefined && !isProfile && env[setting] !== undefined) {
        env[setting] = undefined;
      } else if (config !== undefined) config = undefined;
      else throw error;
    }
  }
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
