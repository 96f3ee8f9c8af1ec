import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { takesColour, type GlobalOptions } from "../config/settings.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { PageQuery, Reply, Service } from "../contract/service.ts";
import type { Diagnostic } from "../core/error.ts";
import type { Runtime } from "../core/runtime.ts";
import { safeText } from "../core/text.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { createPrompter, isInteractive, type Prompter } from "../output/prompts/prompter.ts";
import type { Shared } from "./process.ts";

/** Asks a person, if there is one. */
export interface Ask {
  /** Returns undefined if questions are not allowed or not possible. */
  readonly prompter: () => Prompter | undefined;
  /** Returns a function that lists the records of the chosen service to choose from. */
  readonly list: (name: "sender-id.list" | "group.list") => (query: PageQuery) => Promise<Reply>;
}

/** Standard input, and the files that a command reads. */
export interface Input {
  /** Whether standard input is a terminal. */
  readonly isTyped: () => boolean;
  /** Reads standard input to its end, or until more than `limit` bytes have been read. */
  readonly read: (limit?: number) => Promise<Uint8Array>;
  readonly stream: () => Readable;
  /** Returns the absolute path of a file given on the command line. */
  readonly path: (file: string) => string;
  /**
   * Reads a manifest from the files of `-f`.
   *
   * @param envPrefix prefix of the environment variables that it may read
   * @throws SendctlError "usage"
   */
  readonly manifest: (
    files: readonly string[],
    envPrefix?: string,
  ) => Promise<{ readonly manifest: Manifest } | { readonly diagnostics: readonly Diagnostic[] }>;
  /** Reads a behaviour file; `-` is standard input. @throws SendctlError "usage" */
  readonly behaviour: (file: string) => Promise<PartialBehaviour>;
}

/** Creates the questions of a command. @param service whose records can be chosen */
export function createAsk(
  { settings, runtime, secrets }: Shared,
  options: GlobalOptions,
  service: Service,
): Ask {
  return {
    prompter: () => {
      if (!settings.mayAsk || !isInteractive(runtime)) return undefined;
      return createPrompter(
        runtime,
        (text) => safeText(secrets.hide(text)),
        takesColour(true, options, runtime.env),
      );
    },
    list: (name) => (query) => service[name]({ query }),
  };
}

/** Creates the input of a command. */
export function createInput(runtime: Runtime): Input {
  const read = async (limit = Infinity): Promise<Uint8Array> => {
    const { readUpTo } = await import("../core/files.ts");
    return readUpTo(runtime.stdin, limit);
  };
  return {
    isTyped: () => runtime.stdin.isTTY === true,
    read,
    stream: () => runtime.stdin as Readable,
    path: (file) => resolve(runtime.folder, file),
    manifest: async (files, envPrefix) => {
      const { readManifest, readSources } = await import("../manifest/read.ts");
      const sources = await readSources(files, runtime.folder, read);
      return readManifest(sources, runtime.env, envPrefix);
    },
    behaviour: async (file) => {
      const { readBehaviourFile } = await import("../probe/behaviour-file.ts");
      return readBehaviourFile(file, runtime.folder, read);
    },
  };
}
