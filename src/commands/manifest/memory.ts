import type { Capabilities } from "../../cli/capabilities.ts";
import { SendctlError } from "../../contract/error.ts";
import { memoryText, parseMemory, type Memory } from "../../plan/memory.ts";

/** Returns what the last apply to this target left behind. */
export async function readMemory(context: Capabilities): Promise<Memory> {
  return parseMemory(await context.state.read());
}

/** Contexts whose state could not be written, which is reported once. */
const warned = new WeakSet<Capabilities>();

/** Changes what is remembered of this target. An apply goes on without it, with a warning. */
export async function remember(
  context: Capabilities,
  change: (memory: Memory) => Memory,
): Promise<void> {
  const before = await readMemory(context);
  // A folder is created only where there is something to keep in it.
  if (memoryText(change(before)) === memoryText(before)) return;
  try {
    await context.state.change((text) => memoryText(change(parseMemory(text))));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof SendctlError) && code === undefined) throw error;
    if (warned.has(context)) return;
    warned.add(context);
    const why = error instanceof SendctlError ? error.message : code!;
    await context.output.warn(
      `what this apply leaves unfinished cannot be remembered (${why}); ` +
        "if it is interrupted, use --resend-sender-id the next time",
    );
  }
}
