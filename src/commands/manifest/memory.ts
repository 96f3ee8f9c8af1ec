import type { Capabilities } from "../../command/capabilities.ts";
import type { HeldState } from "../../command/state.ts";
import { SendctlError } from "../../core/error.ts";
import { memoryText, parseMemory, type Memory } from "../../manifest/plan/memory.ts";

/** Returns what earlier applies to this target have remembered. */
export async function readMemory({ state, clock }: Capabilities): Promise<Memory> {
  return parseMemory(await state.read(), clock.now());
}

/** Stores what the next apply to this target has to know. */
export type Remember = (memory: Memory) => Promise<void>;

/**
 * Runs an apply while no other one of this user changes the target. If the state cannot be written, it warns and goes
 * on without.
 */
export async function underLock<Value>(
  { state, output }: Capabilities,
  target: string,
  run: (remember: Remember) => Promise<Value>,
): Promise<Value> {
  const warn = async (error: unknown): Promise<undefined> => {
    const { code } = error as NodeJS.ErrnoException;
    const isUsage = error instanceof SendctlError && error.kind === "usage";
    if (!isUsage && code === undefined) throw error;
    await output.warn(
      `the state of this apply cannot be saved (${isUsage ? error.message : code}), so that no other apply waits ` +
        "for it; if it is interrupted, pass --resend-sender-id next time",
    );
    return undefined;
  };
  const waiting = (): Promise<void> =>
    output.say(`Another apply to ${target} is running; waiting up to 10 minutes`);
  let held: HeldState | undefined = await state.hold(waiting).catch(warn);
  const remember = async (memory: Memory): Promise<void> => {
    try {
      held?.write(memoryText(memory));
    } catch (error) {
      held?.release();
      held = await warn(error);
    }
  };
  try {
    return await run(remember);
  } finally {
    held?.release();
  }
}
