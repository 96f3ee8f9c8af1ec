import type { Session } from "../../command/session.ts";
import { SendctlError } from "../../core/error.ts";
import { safeText } from "../../core/text.ts";

type Context = Pick<Session, "config" | "output">;

/**
 * Stores a key in the keychain of the system, and reads it back. After a failure nothing is stored. Returns the account
 * and the command that prints the key, for the profile.
 *
 * @throws SendctlError "auth" if the keychain cannot be used, "usage" if the system has none that is known
 */
export async function keepInKeychain(context: Context, profile: string, key: string) {
  const { keyOf, runProgram } = context.config;
  const { storeInKeychain } = await import("../../config/keychain.ts");
  const { account: keychain, keyCommand } = await storeInKeychain(profile, key, runProgram);
  const found = await keyOf(keyCommand).catch(() => undefined);
  if (found === key) return { keychain, keyCommand };
  await forgetKey(context, keychain);
  throw new SendctlError("auth", "the keychain did not return the key that was stored", {
    hint: "unlock it, or use --key-command, such as --key-command 'pass show sms/prod'",
  });
}

/** Removes a key from the keychain of the system, or warns that it is still there. @param account undefined for none */
export async function forgetKey(context: Context, account: string | undefined): Promise<void> {
  if (account === undefined) return;
  const { removeFromKeychain } = await import("../../config/keychain.ts");
  const command = await removeFromKeychain(account, context.config.runProgram);
  if (command === undefined) return;
  await context.output.warn(safeText(`the key is still in the keychain; to remove it: ${command}`));
}
