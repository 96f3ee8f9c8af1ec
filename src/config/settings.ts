import { isAbsolute, join, resolve } from "node:path";
import { Failure } from "../failure.ts";
import { parseDuration } from "./duration.ts";
import type { World } from "../world.ts";

export const formats = ["table", "json"] as const;
type Format = (typeof formats)[number];

/** The options that every command takes, as given on the command line. */
export interface GlobalOptions {
  readonly local?: boolean;
  readonly baseUrl?: string;
  readonly database?: string;
  readonly output?: string;
  readonly json?: boolean;
  /** False for `--no-color`, `--no-input`. */
  readonly color?: boolean;
  readonly input?: boolean;
  readonly timeout?: string;
  readonly retries?: string;
  readonly insecureHttp?: boolean;
  readonly quiet?: boolean;
  readonly debug?: boolean;
  readonly dryRun?: boolean;
}

/** What a command works with. Flag before environment before default. */
export interface Settings {
  readonly format: Format;
  readonly quiet: boolean;
  readonly debug: boolean;
  /** Whether requests are shown instead of sent. */
  readonly dryRun: boolean;
  /** Whether there may be anybody to ask, as far as the settings go. */
  readonly mayAsk: boolean;
  /** Absolute path of the embedded database. */
  readonly database: string;
  /** Base URL of the remote service; undefined where the embedded engine is used. */
  readonly baseUrl: string | undefined;
  /** The secret key from the environment. */
  readonly secretKey: string | undefined;
  /** Of one attempt to reach the remote service, in milliseconds. */
  readonly timeout: number;
  /** Attempts after the first. */
  readonly retries: number;
  /** Whether the key may cross a network unencrypted. */
  readonly insecureHttp: boolean;
}

const defaultTimeout = "30s";
const defaultRetries = "2";

/** @throws Failure "usage" that names the flag or the variable at fault */
export function resolveSettings(options: GlobalOptions, world: World): Settings {
  const { env } = world;
  return {
    format: resolveFormat(options, env),
    quiet: options.quiet === true,
    debug: options.debug === true,
    dryRun: options.dryRun === true,
    mayAsk: options.input !== false && !isOn(env["CI"]) && !isOn(env["SENDCTL_NO_INPUT"]),
    database: resolveDatabase(options, world),
    baseUrl: resolveBaseUrl(options, env),
    secretKey: given(env["SENDCTL_SECRET_KEY"]),
    timeout: resolveTimeout(options, env),
    retries: resolveRetries(options, env),
    insecureHttp: options.insecureHttp === true,
  };
}

function resolveBaseUrl({ local, baseUrl }: GlobalOptions, env: World["env"]): string | undefined {
  if (baseUrl === "")
    throw new Failure("usage", "--base-url is empty: give the address of a service");
  if (local !== true) return baseUrl ?? given(env["SENDCTL_BASE_URL"]);
  if (baseUrl === undefined) return undefined;
  throw new Failure("usage", "--local and --base-url contradict each other: give one");
}

function resolveTimeout({ timeout }: GlobalOptions, env: World["env"]): number {
  const text = timeout ?? given(env["SENDCTL_TIMEOUT"]) ?? defaultTimeout;
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  const source = timeout === undefined ? "SENDCTL_TIMEOUT" : "--timeout";
  throw new Failure("usage", `${source} is "${text}": it must be like 500ms, 30s, 10m or 2h`);
}

function resolveRetries({ retries }: GlobalOptions, env: World["env"]): number {
  const text = retries ?? given(env["SENDCTL_RETRIES"]) ?? defaultRetries;
  if (/^\d{1,3}$/.test(text)) return Number(text);
  const source = retries === undefined ? "SENDCTL_RETRIES" : "--retries";
  throw new Failure("usage", `${source} is "${text}": it must be a whole number from 0 to 999`);
}

/** An empty variable is no setting. */
function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** A switch in the environment: set, and not to "0" or "false". */
function isOn(value: string | undefined): boolean {
  return !["", "0", "false"].includes((value ?? "").toLowerCase());
}

function resolveFormat({ json, output }: GlobalOptions, env: World["env"]): Format {
  if (json === true && output !== undefined && output !== "json") {
    throw new Failure("usage", `--json and --output ${output} contradict each other: give one`);
  }
  if (json === true) return "json";
  const fromEnvironment = given(env["SENDCTL_OUTPUT"]);
  const wanted = output ?? fromEnvironment ?? "table";
  const format = formats.find((known) => known === wanted);
  if (format === undefined) {
    const source = output === undefined ? "SENDCTL_OUTPUT" : "--output";
    throw new Failure("usage", `${source} is "${wanted}": it can be ${formats.join(" or ")}`);
  }
  return format;
}

function resolveDatabase({ database }: GlobalOptions, world: World): string {
  if (database === "") throw new Failure("usage", "--database is empty: name a file");
  const file = database ?? given(world.env["SENDCTL_DATABASE"]);
  if (file !== undefined) return resolve(world.folder, file);
  return join(dataFolder(world), "sendctl", "sendctl.db");
}

/** XDG_DATA_HOME counts only where it is absolute, as its specification says. */
function dataFolder({ env, home }: World): string {
  const folder = given(env["XDG_DATA_HOME"]);
  if (folder !== undefined && isAbsolute(folder)) return folder;
  if (!isAbsolute(home)) {
    throw new Failure("usage", "There is no home folder (HOME): name a file with --database");
  }
  return join(home, ".local", "share");
}

/**
 * Whether stdout takes colours: a terminal does, unless NO_COLOR or `--no-color` says otherwise;
 * FORCE_COLOR says it of anything.
 */
export function takesColour(
  isTerminal: boolean,
  options: Pick<GlobalOptions, "color">,
  env: World["env"],
): boolean {
  if (options.color === false || given(env["NO_COLOR"]) !== undefined) return false;
  const forced = given(env["FORCE_COLOR"]);
  if (forced !== undefined) return isOn(forced);
  return isTerminal && env["TERM"] !== "dumb";
}

/** Whether a failure has to be told as JSON, for arguments that may not make sense. */
export function asksForJson(argv: readonly string[], env: World["env"]): boolean {
  const end = argv.indexOf("--");
  const options = end < 0 ? argv : argv.slice(0, end);
  let format = given(env["SENDCTL_OUTPUT"]);
  for (const [index, option] of options.entries()) {
    if (option === "--json") return true;
    if (option === "--output") format = options[index + 1];
    else if (option.startsWith("--output=")) format = option.slice("--output=".length);
    else {
      // Short options may be written together: -qojson.
      const [cluster, value] = /^-[a-zA-Z]*?o(.*)$/s.exec(option) ?? [];
      if (cluster !== undefined) format = value === "" ? options[index + 1] : value;
    }
  }
  return format === "json";
}
