import { parseArgs } from "node:util";
import {
  protectionsOf,
  databaseName,
  firstOf,
  given,
  resolveTarget,
  settingOf,
  targetName,
  type Source,
  type Target,
  type TargetOptions,
} from "./target.ts";
import type { FormatName } from "../output/formats/format.ts";
import { parseDuration } from "../core/time.ts";
import { SendctlError } from "../core/error.ts";
import { shellWord } from "../core/text.ts";
import { formatNames, printsFailures } from "../output/formats/formats.ts";
import type { Config } from "./profiles.ts";
import type { Runtime } from "../core/runtime.ts";

/** The global options, as given on the command line. */
export interface GlobalOptions extends TargetOptions {
  readonly output?: string;
  readonly json?: boolean;
  readonly csvSafe?: boolean;
  readonly csvBom?: boolean;
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
  readonly readOnly?: boolean;
  /** The profile whose protected target may be deleted from. */
  readonly confirm?: string;
  /** Set by commands that diagnose invalid settings, not an option: see `lenientSettings`. */
  readonly lenient?: true;
}

/** Resolved settings of a command: flags before environment, profile and default. */
export type Settings = Readonly<ReturnType<typeof resolveSettings>>;

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
) {
  const { env } = runtime;
  const resolved = resolveTarget(options, runtime, config);
  const { sources, ...target } = resolved;
  const { json, output } = options;
  if (json === true && output !== undefined && output !== "json") {
    throw new SendctlError("usage", `--json conflicts with --output ${output}`, {
      hint: "pass one of them",
    });
  }
  const given = json === true ? "json" : output;
  const format = readSetting("output", given, env, "table", parseFormat);
  const timeout = readSetting("timeout", options.timeout, env, "30s", parseDuration);
  const retries = readSetting("retries", options.retries, env, "2", parseRetries);
  return {
    ...target,
    format: format.value,
    /** Whether only the environment selects the format. */
    isFormatOfEnvironment: format.source === "environment",
    quiet: options.quiet === true,
    debug: options.debug === true,
    /** Whether requests are shown instead of sent. */
    dryRun: options.dryRun === true,
    /** Whether the settings allow prompts. */
    mayAsk: options.input !== false && !isOn(env["CI"]) && !isOn(env["SENDCTL_NO_INPUT"]),
    /** Whether changes are journaled for `history` and `undo`. */
    isJournaled: !isOn(env["SENDCTL_NO_HISTORY"]),
    /** Timeout of one attempt to reach the remote service, in milliseconds. */
    timeout: timeout.value,
    /** Number of attempts after the first. */
    retries: retries.value,
    /** Whether the key may cross a network unencrypted. */
    insecureHttp: options.insecureHttp === true,
    /** The option or variable that forbids changes. */
    readOnly: readOnlyOf(options, env),
    /** The value of `--confirm`. */
    confirm: options.confirm,
    protection: config === undefined ? {} : confirmedProtections(options.confirm, resolved, config),
    /** The source of each setting. */
    sources: {
      ...sources,
      output: format.source,
      timeout: timeout.source,
      retries: retries.source,
    },
  };
}

function readOnlyOf(
  { readOnly }: GlobalOptions,
  env: Runtime["env"],
): "--read-only" | "SENDCTL_READ_ONLY" | undefined {
  if (readOnly === true) return "--read-only";
  return isOn(env["SENDCTL_READ_ONLY"]) ? "SENDCTL_READ_ONLY" : undefined;
}

const parseFormat = (text: string): FormatName | undefined =>
  formatNames.find((known) => known === text);

const parseRetries = (text: string) => (/^\d{1,3}$/.test(text) ? Number(text) : undefined);

/** What settings take, and the hint for an invalid value. */
const kinds = {
  output: ["output format", `use one of ${formatNames.join(", ")}`],
  timeout: ["duration", "use a duration such as 500ms, 30s, 10m or 2h"],
  retries: ["number", "use a whole number from 0 to 999"],
} as const;

/**
 * Returns a setting from its flag, its variable or its default, and the source.
 *
 * @param parse returns undefined for an invalid text
 * @throws SendctlError "usage" for an invalid value
 */
function readSetting<Value>(
  name: keyof typeof kinds,
  option: string | undefined,
  env: Runtime["env"],
  fallback: string,
  parse: (text: string) => Value | undefined,
): { readonly value: Value; readonly source: Source } {
  const variable = given(env[`SENDCTL_${name.toUpperCase()}`]);
  const [source, text = fallback] = firstOf([
    ["flag", option],
    ["environment", variable],
  ]);
  const value = parse(text);
  if (value !== undefined) return { value, source };
  const [kind, hint] = kinds[name];
  const setting = settingOf(name, source)!;
  throw new SendctlError("usage", `invalid ${kind} "${text}" for ${setting}`, {
    hint,
    field: setting,
  });
}

/** What a command works on: the chosen service or database, or always the database. */
export type Scope = "service" | "database";

/** Returns the name of what a command works on, for messages. */
export function nameInScope(settings: Settings, scope: Scope): string {
  return scope === "database" ? databaseName(settings) : targetName(settings);
}

/**
 * Refuses a change of a target that is read-only.
 *
 * @throws SendctlError "usage" that names the option, the variable or the profile
 */
export function refuseChange(settings: Settings, scope: Scope): void {
  const { readOnly, protection } = settings;
  const name = nameInScope(settings, scope);
  if (readOnly !== undefined) {
    throw new SendctlError("usage", `${readOnly} forbids changes to ${name}`, {
      hint: readOnly === "--read-only" ? "omit it" : `unset ${readOnly}`,
    });
  }
  const found = protection[scope];
  if (found?.level !== "read-only") return;
  throw new SendctlError(
    "usage",
    `profile ${found.profile} is read-only; refusing to change ${name}`,
    {
      hint: `sendctl profile protect ${shellWord(found.profile)} --off`,
    },
  );
}

/** Returns the protections of a target. @throws SendctlError "usage" for another `--confirm` */
function confirmedProtections(
  confirm: string | undefined,
  target: Target,
  config: Config,
): ReturnType<typeof protectionsOf> {
  const protections = protectionsOf(target, config);
  const { service } = protections;
  const { baseUrl, profile, sources } = target;
  const isOfProfile = sources[baseUrl === undefined ? "database" : "baseUrl"] === "profile";
  const own = service === undefined && isOfProfile ? profile : undefined;
  if (confirm === undefined || [service?.profile, own].includes(confirm)) return protections;
  const message = `--confirm ${confirm} is not the profile of ${targetName(target)}`;
  const hint =
    service === undefined ? "omit --confirm" : `pass --confirm ${service.profile} if you mean it`;
  throw new SendctlError("usage", message, { hint });
}

/** Returns whether a switch in the environment is set, and not to 0, false, no or off. */
function isOn(value: string | undefined): boolean {
  return !["", "0", "false", "no", "off"].includes((value ?? "").toLowerCase());
}

/**
 * Resolves settings for `doctor`, which reports invalid ones: ignores an invalid config file, the
 * config with an unknown profile, and invalid variables. Returns the errors of what it ignored.
 *
 * @param readConfig throws SendctlError "usage" for an invalid config file
 * @throws SendctlError "usage" for an invalid flag
 */
export function lenientSettings(
  options: GlobalOptions,
  runtime: Runtime,
  readConfig: () => Config,
): { readonly settings: Settings; readonly errors: readonly SendctlError[] } {
  const errors: SendctlError[] = [];
  const env = { ...runtime.env };
  const corrected = Object.create(runtime, { env: { value: env } }) as Runtime;
  let ignoresConfig = false;
  for (;;) {
    try {
      const config = ignoresConfig ? undefined : readConfig();
      return { settings: resolveSettings(options, corrected, config), errors };
    } catch (error) {
      if (!(error instanceof SendctlError) || error.kind !== "usage") throw error;
      const { field } = error;
      if (field !== undefined && env[field] !== undefined) env[field] = undefined;
      // Ignoring SENDCTL_PROFILE would select another profile, so the whole config is ignored.
      else if (!ignoresConfig) ignoresConfig = true;
      else throw error;
      errors.push(error);
    }
  }
}

/**
 * Returns whether a terminal gets plain lines only, as for screen readers: nothing is redrawn, and
 * no cursor is moved. SENDCTL_ACCESSIBLE decides; without it, a terminal that can do no more.
 */
export function isPlain(env: Runtime["env"]): boolean {
  const wanted = given(env["SENDCTL_ACCESSIBLE"]);
  return wanted === undefined ? env["TERM"] === "dumb" : isOn(wanted);
}

/**
 * Returns whether a stream gets colours. NO_COLOR and `--no-color` disable them on a terminal;
 * FORCE_COLOR overrides the detection of a terminal.
 */
export function takesColour(
  isTerminal: boolean,
  options: Pick<GlobalOptions, "color">,
  env: Runtime["env"],
): boolean {
  if (options.color === false || given(env["NO_COLOR"]) !== undefined) return false;
  if (given(env["SENDCTL_ACCESSIBLE"]) !== undefined && isPlain(env)) return false;
  const forced = given(env["FORCE_COLOR"]);
  if (forced !== undefined) return isOn(forced);
  return isTerminal && env["TERM"] !== "dumb";
}

/** Returns whether errors are printed as JSON. @param argv arguments that may be invalid */
export function asksForJson(argv: readonly string[], env: Runtime["env"]): boolean {
  const { values } = parseArgs({
    args: [...argv],
    options: { json: { type: "boolean" }, output: { type: "string", short: "o" } },
    strict: false,
  });
  const { json, output = given(env["SENDCTL_OUTPUT"]) } = values;
  return json === true || printsFailures(String(output));
}
