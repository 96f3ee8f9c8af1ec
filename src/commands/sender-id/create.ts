import type { Output } from "../../output/output.ts";
import { defineCommand, flag, optional, text } from "../../cli/define-command.ts";
import { areAlike } from "../../contract/alike.ts";
import { isRefused, succeeded, type Reply, type Service } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { senderIdView } from "../../output/views.ts";
import { required } from "../arguments.ts";

/** Ruling 5: what carriers take for an alphanumeric sender. */
const carrierForm = /^[A-Za-z0-9 ]{1,11}$/;

export const senderIdCreate = defineCommand({
  path: "sender-id create",
  summary: "Create a sender ID",
  description: "Create a sender ID. Its status is PENDING until it is reviewed.",
  args: {
    name: optional("what recipients see; carriers accept up to 11 letters, digits and spaces"),
  },
  options: {
    purpose: text("--purpose <text>", "what it is used for"),
    ifNotExists: flag("--if-not-exists", "succeed and show the existing one if the name is taken"),
  },
  exitCodes: [
    [5, "the name is taken (without --if-not-exists)"],
    [9, "the record may have been created: no response came"],
  ],
  examples: [
    'sendctl sender-id create ACME --purpose "Order updates"',
    'sendctl sender-id create ACME --purpose "Order updates" --if-not-exists',
  ],
  async run({ service, output, ask, config }, given, options) {
    const name = await required(ask, given.name, "NAME", "Name of the sender ID");
    // A person can still think of another name before they write its purpose.
    const isAsked = options.purpose === undefined && ask.prompter() !== undefined;
    if (isAsked) await warnOfCarriers(output, name);
    const purpose = await required(ask, options.purpose, "--purpose TEXT", "Purpose");
    const show = async (existing: Reply): Promise<ExitCode> => {
      await warnOfPurpose(output, purpose, existing);
      return output.record(existing, senderIdView);
    };
    // A dry run shows the request that would change something.
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
    if (after === undefined || !succeeded(after)) return output.record(reply, senderIdView);
    return show(after);
  },
});

/** Returns the sender ID, or why it cannot be fetched; undefined where the service has none of that name. */
async function existingOne(service: Service, name: string): Promise<Reply | undefined> {
  // No path can carry these.
  if (["", ".", ".."].includes(name)) return undefined;
  const found = await service["sender-id.fetch"]({ path: { name } });
  if (isRefused(found)) return undefined;
  const isAnother = succeeded(found) && !areAlike(name, nameIn(found));
  return isAnother ? undefined : found;
}

function nameIn({ envelope }: Reply): unknown {
  return (envelope!.data as { readonly name?: unknown }).name;
}

async function warnOfCarriers(output: Output, name: string): Promise<void> {
  if (carrierForm.test(name)) return;
  await output.warn(
    "carriers may refuse this name: they take up to 11 letters, digits and spaces, without accents",
  );
}

async function warnOfPurpose(output: Output, purpose: string, existing: Reply): Promise<void> {
  const record = existing.envelope!.data as { readonly purpose?: unknown };
  if (record.purpose === purpose) return;
  await output.warn("the sender ID exists already, with another purpose, which stays as it is");
}
