import type { Capabilities } from "../../cli/capabilities.ts";
import { SendctlError } from "../../contract/error.ts";
import { memoryText, parseMemory, type Memory } from "../../plan/memory.ts";

/** Returns what earlier applies to this target have remembered. */
export async function readMemory(context: Capabilities): Promise<Memory> {
  return parseMemory(await context.state.read());
}

/** Contexts with a warning about a state file that cannot be written, which is printed once. */
const warned = new WeakSet<Capabilities>();

/** Changes what is remembered about this target. If the file cannot be written, it warns and apply continues. */
export async function remember(
  context: Capabilities,
  change: (memory: Memory) => Memory,
): Promise<void> {
  const before = await readMemory(context);
  // Avoids creating a folder for an empty file.
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
      `the state of this apply cannot be saved (${why}); ` +
        "if it is interrupted, pass --resend-sender-id next time",
    );
  }
}
