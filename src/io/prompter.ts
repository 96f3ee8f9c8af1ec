import { Failure } from "../failure.ts";
import type * as prompts from "./prompts.ts";
import type { World } from "../world.ts";

/** Somebody at a terminal. Questions go to stderr; stdout is for data. */
export interface Prompter {
  /** A line that is not empty. @throws Failure "cancelled" */
  readonly ask: (question: string) => Promise<string>;
  /** The default is no. @throws Failure "cancelled" */
  readonly confirm: (question: string) => Promise<boolean>;
}

/** True where there is a person to ask: both ends of the conversation are terminals. */
export function isInteractive({ stdin, stderr }: World): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

export function createPrompter(world: World): Prompter {
  // A person is asked at a terminal only, and a terminal has a stream that can do all that Node's can.
  const streams = (): { input: World["stdin"]; output: NodeJS.WritableStream } => ({
    input: world.stdin,
    output: world.stderr as unknown as NodeJS.WritableStream,
  });
  return {
    ask: (message) => asked(async ({ input }) => input({ message, required: true }, streams())),
    confirm: (message) =>
      asked(async ({ confirm }) => confirm({ message, default: false }, streams())),
  };
}

type Prompts = typeof prompts;

/** Ctrl-C, and the end of the input, mean stop. */
async function asked<Answer>(question: (prompts: Prompts) => Promise<Answer>): Promise<Answer> {
  try {
    return await question(await import("./prompts.ts"));
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name !== "ExitPromptError" && name !== "AbortPromptError") throw error;
    throw new Failure("cancelled", "Cancelled", { cause: error });
  }
}
