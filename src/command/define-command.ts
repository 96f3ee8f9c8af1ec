import type { ExitCode } from "../output/exit-codes.ts";
import type { Scope } from "../config/settings.ts";
import type { Session } from "./session.ts";

/** The values of an argument or option: words, or a kind that shell completion looks up. */
export type ValueKind =
  | readonly string[]
  | "sender-id"
  | "group"
  | "profile"
  | "file"
  | "command"
  /** A field of the records that the command lists, with `:asc` or `:desc`. */
  | "sort-field"
  /** Several, separated by commas. */
  | "fields"
  | "fault";

/** An argument of a command. Its key gives its name: `groupId` is `[group-id]`. */
export interface Argument<Value> {
  readonly description: string;
  /** Replaces the name that follows from the key. */
  readonly name?: string;
  readonly takes?: ValueKind;
  readonly isVariadic?: true;
  readonly read: (given: unknown) => Value;
}

/** An option, or a pair that sets one value: `--send-birthday` and `--no-send-birthday`. */
export interface Option<Value> {
  readonly flags: readonly (readonly [flags: string, description: string])[];
  readonly default?: string;
  readonly takes?: ValueKind;
  /** Keys of options that cannot be combined with this one. */
  readonly conflicts?: readonly string[];
  /** It may be repeated, and its values are collected. */
  readonly isRepeated?: true;
  /** Accepted, but not shown in help. */
  readonly isHidden?: true;
  readonly read: (given: unknown) => Value;
}

type Arguments = Readonly<Record<string, Argument<unknown>>>;
type Options = Readonly<Record<string, Option<unknown>>>;

type ValueOf<Declared> = Declared extends { readonly read: (given: unknown) => infer Value }
  ? Value
  : never;
type KeysOfOptional<Declared> = {
  [Key in keyof Declared]: undefined extends ValueOf<Declared[Key]> ? Key : never;
}[keyof Declared];

/** The values passed to `run`. A key is absent if the option was not given and has no default. */
export type Values<Declared> = {
  readonly [Key in Exclude<keyof Declared, KeysOfOptional<Declared>>]: ValueOf<Declared[Key]>;
} & {
  readonly [Key in KeysOfOptional<Declared>]?: Exclude<ValueOf<Declared[Key]>, undefined>;
};

/** Exit codes with a meaning specific to a command, which its help lists. */
export type ExitCodes = readonly (readonly [code: number, meaning: string])[];

/** The parts of the help that commands and nouns share. */
interface Described {
  /** The words after `sendctl`. */
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly examples: readonly string[];
}

/** A command: its words, arguments and options, and the function that runs it. */
export interface CommandDefinition<
  Args extends Arguments = Arguments,
  Opts extends Options = Options,
> extends Described {
  /** That of a first word is in the registry, because the help of `sendctl` loads no command. */
  readonly summary?: string;
  /** In the order of the command line. */
  readonly args?: Args;
  readonly options?: Opts;
  readonly exitCodes?: ExitCodes;
  /**
   * What the command changes; undefined for nothing: then each change is a defect. It is refused
   * early if that may not be changed; each request that changes something is refused anyway.
   */
  readonly changes?: Scope;
  /** Returns whether a run changes it (default: always). */
  changesIf?(args: Values<Args>, options: Values<Opts>): boolean;
  /** With `--dry-run`, it tries a change of the database, and takes it back. */
  readonly canTry?: true;
  /** It runs until it is stopped, so data that cannot be written ends it at once. */
  readonly isEndless?: true;
  /** Everything after the first argument is passed on, options included. */
  readonly passesOptions?: true;
  run(capabilities: Session, args: Values<Args>, options: Values<Opts>): Promise<ExitCode>;
}

/** A noun below another, like `sendctl local key`. */
interface NounDefinition extends Described {
  readonly summary: string;
}

export type Definition = CommandDefinition | NounDefinition;

/** Defines a command. The parameters of `run` follow from `args` and `options`. */
export function defineCommand<
  // A command without arguments or options declares none.
  // oxlint-disable-next-line typescript/no-empty-object-type
  Args extends Arguments = {},
  // oxlint-disable-next-line typescript/no-empty-object-type
  Opts extends Options = {},
>(definition: CommandDefinition<Args, Opts>): CommandDefinition<Args, Opts> {
  return definition;
}

/** Defines a noun below another. */
export function defineNoun(definition: NounDefinition): NounDefinition {
  return definition;
}

function textOf(given: unknown): string | undefined {
  return given as string | undefined;
}

function textsOf(given: unknown): readonly string[] {
  return (given as readonly string[] | undefined) ?? [];
}

/** Declares an optional argument. Most commands ask for a missing one. */
export function optional(
  description: string,
  given: Pick<Argument<unknown>, "name" | "takes"> = {},
): Argument<string | undefined> {
  return { description, ...given, read: textOf };
}

/** Declares an argument that takes all remaining words. */
export function variadic(
  description: string,
  given: Pick<Argument<unknown>, "takes"> = {},
): Argument<readonly string[]> {
  return { description, isVariadic: true, ...given, read: textsOf };
}

type OptionDetails = Pick<Option<unknown>, "takes" | "conflicts" | "isHidden">;

/** Declares a flag, true if it was given: `flag("-y, --yes", …)`, `flag("--no-check", …)`. */
export function flag(
  flags: string,
  description: string,
  given: OptionDetails = {},
): Option<boolean> {
  const value = !flags.includes("--no-");
  return { flags: [[flags, description]], ...given, read: (found) => found === value };
}

/** Declares a pair of flags for one setting: `--send-birthday` and `--no-send-birthday`. */
export function onOff(flags: string, on: string, off: string): Option<boolean | undefined> {
  return {
    flags: [
      [flags, on],
      [flags.replace("--", "--no-"), off],
    ],
    read: (given) => given as boolean | undefined,
  };
}

/** Declares a text option: `text("--name <text>", …)`. With a default, it always has a value. */
export function text<Details extends OptionDetails & { readonly default?: string }>(
  flags: string,
  description: string,
  given?: Details,
): Option<Details extends { readonly default: string } ? string : string | undefined> {
  return { flags: [[flags, description]], ...given, read: textOf as () => string };
}

/** Declares an option with a text that may be repeated; keeps the order of the texts. */
export function repeated(
  flags: string,
  description: string,
  given: OptionDetails = {},
): Option<readonly string[]> {
  return { flags: [[flags, description]], isRepeated: true, ...given, read: textsOf };
}
