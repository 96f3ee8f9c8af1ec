import type { Output } from "../../output/output.ts";
import { defineCommand, flag, optional, text } from "../../cli/define-command.ts";
import { SendctlError } from "../../contract/error.ts";
import { isRefused, succeeded, type Reply, type Service } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { senderIdView } from "../../output/views.ts";
import { required } from "../arguments.ts";
import { carrierWarning } from "./carrier-form.ts";

const acceptExisting = "to accept the existing sender ID, pass --if-not-exists";

export const senderIdCreate = defineCommand({
  path: "sender-id create",
  summary: "Create a sender ID",
  description: "Create a sender ID. Its status is PENDING until it is reviewed.",
  args: {
    name: optional("name that recipients see; carriers accept up to 11 letters, digits and spaces"),
  },
  options: {
    purpose: text("--purpose <text>", "purpose of its messages, for the review"),
    ifNotExists: flag(
      "--if-not-exists",
      "if the name is taken, show the existing sender ID and succeed",
    ),
  },
  exitCodes: [
    [5, "the name is taken (without --if-not-exists)"],
    [9, "no response was received; the sender ID may have been created"],
  ],
  examples: [
    'sendctl sender-id create ACME --purpose "Order updates"',
    'sendctl sender-id create ACME --purpose "Order updates" --if-not-exists',
  ],
  async run({ service, output, ask, config }, given, options) {
    const name = await required(ask, given.name, "NAME", "Name of the sender ID");
    // The user can still cancel and choose another name before writing its purpose.
    const isAsked = options.purpose === undefined && ask.prompter() !== undefined;
    if (isAsked) await warnOfCarriers(output, name);
    const purpose = await required(ask, options.purpose, "--purpose TEXT", "Purpose");
    const show = async (existing: Reply): Promise<ExitCode> => {
      await warnOfPurpose(output, purpose, existing);
      return output.record(existing, senderIdView);
    };
    // A dry run shows only the create, not the fetch before it.
    const mayExist = options.ifNotExists && !config.settings.dryRun;
    const before = mayExist ? await existingOne(service, name) : undefined;
    if (before !== undefined) return succeeded(before) ? show(before) : output.refusal(before);
    const reply = await service["sender-id.create"]({ body: { name, purpose } });
    if (succeeded(reply)) {
      if (!isAsked) await warnOfCarriers(output, name);
      return output.record(reply, senderIdView);
    }
    // Another client may have created it in the meantime.
    const after = mayExist ? await existingOne(service, name) : undefined;
    if (after === undefined || !succeeded(after)) {
      const hint = reply.status === 409 && !mayExist ? { hint: acceptExisting } : {};
      return output.record({ ...reply, ...hint }, senderIdView);
    }
    return show(after);
  },
});

/** Returns the sender ID, or why it cannot be fetched; undefined if no sender ID has that name. */
async function existingOne(service: Service, name: string): Promise<Reply | undefined> {
  // These cannot be part of a path.
  if (["", ".", ".."].includes(name)) return undefined;
  try {
    const found = await service["sender-id.fetch"]({ path: { name } });
    return isRefused(found) ? undefined : found;
  } catch (error) {
    // The service matched the name to another record.
    if (error instanceof SendctlError && error.record !== undefined) return undefined;
    throw error;
  }
}

async function warnOfCarriers(output: Output, name: string): Promise<void> {
  const warning = carrierWarning(name);
  if (warning !== undefined) await output.warn(warning);
}

async function warnOfPurpose(output: Output, purpose: string, existing: Reply): Promise<void> {
  const record = existing.envelope!.data as { readonly purpose?: unknown };
  if (record.purpose === purpose) return;
  await output.warn("the sender ID already exists with another purpose, which was not changed");
}
