import {
  resolveSettings,
  takesColour,
  type GlobalOptions,
  type Settings,
} from "./config/settings.ts";
import type { Service } from "./contract/service.ts";
import type { Embedded } from "./engine/embedded.ts";
import { createWriter, type Write, type Writer } from "./io/output.ts";
import { createPrompter, isInteractive, type Prompter } from "./io/prompter.ts";
import { loadStyle, type Style } from "./io/style.ts";
import { traced } from "./trace.ts";
import type { World } from "./world.ts";

/** What a command may touch. Everything that costs time is made when it is first asked for. */
export interface Context {
  readonly settings: Settings;
  readonly service: () => Promise<Service>;
  /** Undefined where there is nobody to ask. */
  readonly prompter: () => Prompter | undefined;
  /** Data, on stdout. */
  readonly print: Write;
  /** Narration, a line on stderr; nothing under `--quiet`. */
  readonly say: (line: string) => Promise<void>;
  /** Something to look at that stops nothing; nothing under `--quiet`. */
  readonly warn: (line: string) => Promise<void>;
  /** Why it was not done, a line on stderr. */
  readonly complain: (line: string) => Promise<void>;
  readonly style: () => Promise<Style>;
  /** Of stdout, in columns; undefined where it is no terminal. */
  readonly terminalWidth: () => number | undefined;
  readonly close: () => Promise<void>;
}

/** The writers are made before there are settings: a failure to find those has to be told, too. */
export interface Writers {
  readonly out: Writer;
  readonly err: Writer;
}

export function createWriters(world: World): Writers {
  return {
    out: createWriter(() => world.stdout, "standard output"),
    err: createWriter(() => world.stderr, "standard error"),
  };
}

/** Columns of a terminal that does not say how many it has. */
export const widthUntold = 80;

/** @throws Failure "usage" when the settings make no sense */
export function createContext(options: GlobalOptions, world: World, writers: Writers): Context {
  const settings = resolveSettings(options, world);
  let opened: Promise<Embedded> | undefined;
  const say = async (line: string): Promise<void> => {
    // Who has stopped reading has seen enough.
    if (!settings.quiet && !writers.out.isGone()) await writers.err.write(`${line}\n`);
  };
  const open = async (): Promise<Embedded> => {
    const { openEmbedded } = await import("./engine/embedded.ts");
    return openEmbedded(settings.database, settings.secretKey, world.now);
  };
  const debugLine = (line: string): Promise<void> => writers.err.write(`${line}\n`);
  return {
    settings,
    service: async () => {
      opened ??= open();
      const { service } = await opened;
      return settings.debug ? traced(service, world.now, debugLine) : service;
    },
    prompter: () => (settings.mayAsk && isInteractive(world) ? createPrompter(world) : undefined),
    print: writers.out.write,
    say,
    warn: (line) => say(`Warning: ${line}`),
    complain: (line) => writers.err.write(`sendctl: ${line}\n`),
    style: () => loadStyle(takesColour(world.stdout.isTTY === true, options, world.env)),
    terminalWidth: () =>
      world.stdout.isTTY === true ? world.stdout.columns || widthUntold : undefined,
    close: async () => {
      // A service that could not be opened has nothing to close, and its failure has been told.
      const { close } = (await opened?.catch(() => undefined)) ?? {};
      await close?.();
    },
  };
}
