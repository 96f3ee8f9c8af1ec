import type { ExitCode } from "../output/exit-codes.ts";
import type { Capabilities } from "./capabilities.ts";

/** What a value has to be: one of these words, or of what the shell completion looks up. */
export type Taken = readonly string[] | "sender-id" | "group" | "profile" | "file" | "command";

/** An argument of a command. The names of arguments come from their keys: `groupId` is `[group-id]`. */
export interface Argument<Value> {
  readonly description: string;
  /** Where the key does not give it. */
  readonly name?: string;
  readonly takes?: Taken;
  /** Values other than these are refused. */
  readonly choices?: readonly string[];
  readonly isVariadic?: true;
  readonly read: (given: unknown) => Value;
}

/** An option of a command, or a pair that sets one value: `--send-birthday` and `--no-send-birthday`. */
export interface Option<Value> {
  readonly flags: readonly (readonly [flags: string, description: string])[];
  readonly default?: string;
  readonly takes?: Taken;
  /** Keys of options that contradict this one. */
  readonly conflicts?: readonly string[];
  /** It may be given several times, and its values are collected. */
  readonly isRepeated?: true;
  /** Understood, and shown in no help. */
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

/** What `run` gets: a key is absent where nothing was given and the option has no default. */
type Values<Declared> = {
  readonly [Key in Exclude<keyof Declared, KeysOfOptional<Declared>>]: ValueOf<Declared[Key]>;
} & {
  readonly [Key in KeysOfOptional<Declared>]?: Exclude<ValueOf<Declared[Key]>, undefined>;
};

/** Exit codes that the help of a command names, because they mean something of their own here. */
export type ExitCodes = readonly (readonly [code: number, meaning: string])[];

/** What help says of a command, and of a word that commands follow. */
interface Described<Path extends string = string> {
  /** Its words after `sendctl`. */
  readonly path: Path;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly examples: readonly string[];
}

/** The summary of a first word stands in the registry: the help of `sendctl` itself loads no command. */
type Summarized<Path extends string> = Path extends `${string} ${string}`
  ? { readonly summary: string }
  : { readonly summary?: never };

/** One command: what it is called, what it takes, and what it does. */
export interface CommandDefinition<
  Args extends Arguments = Arguments,
  Opts extends Options = Options,
> extends Described {
  readonly summary?: string;
  /** In the order of the command line. */
  readonly args?: Args;
  readonly options?: Opts;
  readonly exitCodes?: ExitCodes;
  /** Everything after its first argument belongs to that, options included. */
  readonly passesOptions?: true;
  run(capabilities: Capabilities, args: Values<Args>, options: Values<Opts>): Promise<ExitCode>;
}

/** A word below a noun that commands follow, like `sendctl local key`. */
export interface NounDefinition extends Described {
  readonly summary: string;
}

export type Definition = CommandDefinition | NounDefinition;

/** Declares a command. The parameters of `run` follow from `args` and `options`. */
export function defineCommand<
  const Path extends string,
  // Nothing is declared where a command takes nothing.
  // oxlint-disable-next-line typescript/no-empty-object-type
  Args extends Arguments = {},
  // oxlint-disable-next-line typescript/no-empty-object-type
  Opts extends Options = {},
>(
  definition: CommandDefinition<Args, Opts> & Described<Path> & Summarized<Path>,
): CommandDefinition<Args, Opts> {
  return definition;
}

/** Declares a word below a noun that commands follow. */
export function defineNoun(definition: NounDefinition): NounDefinition {
  return definition;
}

function textOf(given: unknown): string | undefined {
  return given as string | undefined;
}

function textsOf(given: unknown): readonly string[] {
  return (given as readonly string[] | undefined) ?? [];
}

/** An argument that may be left out: most commands ask for it then. */
export function optional(
  description: string,
  given: { readonly name?: string; readonly takes?: Taken } = {},
): Argument<string | undefined> {
  return { description, ...given, read: textOf };
}

/** An argument that may be left out, and is one of a few words. */
export function choice<const Word extends string>(
  description: string,
  words: readonly Word[],
): Argument<Word | undefined> {
  const read = (given: unknown): Word | undefined => given as Word | undefined;
  return { description, choices: words, read };
}

/** Every argument that is left. */
export function variadic(
  description: string,
  given: { readonly takes?: Taken } = {},
): Argument<readonly string[]> {
  return { description, isVariadic: true, ...given, read: textsOf };
}

/** True where it was given: `flag("-y, --yes", …)`, `flag("--no-check", …)`. */
export function flag(
  flags: string,
  description: string,
  given: { readonly conflicts?: readonly string[] } = {},
): Option<boolean> {
  const value = !flags.includes("--no-");
  return { flags: [[flags, description]], ...given, read: (found) => found === value };
}

/** Whether something is on: `--send-birthday`, `--no-send-birthday`, or neither. */
export function onOff(flags: string, on: string, off: string): Option<boolean | undefined> {
  return {
    flags: [
      [flags, on],
      [flags.replace("--", "--no-"), off],
    ],
    read: (given) => given as boolean | undefined,
  };
}

interface TextDetails {
  readonly isHidden?: true;
  readonly takes?: Taken;
  readonly conflicts?: readonly string[];
}

/** A text: `text("--name <text>", …)`. With a default it is always there. */
export function text(
  flags: string,
  description: string,
  given: TextDetails & { readonly default: string },
): Option<string>;
export function text(
  flags: string,
  description: string,
  given?: TextDetails,
): Option<string | undefined>;
export function text(
  flags: string,
  description: string,
  given: TextDetails & { readonly default?: string } = {},
): Option<string | undefined> {
  return { flags: [[flags, description]], ...given, read: textOf };
}

/** A text that may be given several times; the texts in their order. */
export function repeated(
  flags: string,
  description: string,
  given: { readonly takes?: Taken } = {},
): Option<readonly string[]> {
  return { flags: [[flags, description]], isRepeated: true, ...given, read: textsOf };
}
