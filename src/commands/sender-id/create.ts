import type { Output } from "../../output/output.ts";
import { defineCommand, flag, optional, text } from "../../cli/define-command.ts";
import {
  succeeded,
  type Reply,
  type SenderIdFields,
  type Service,
} from "../../contract/service.ts";
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
  examples: [
    'sendctl sender-id create ACME --purpose "Order updates"',
    'sendctl sender-id create ACME --purpose "Order updates" --if-not-exists --json',
  ],
  async run({ service, output, ask }, given, options) {
    const name = await required(ask, given.name, "NAME", "Name of the sender ID");
    const purpose = await required(ask, options.purpose, "--purpose TEXT", "What it is used for");
    const reply = await service["sender-id.create"]({ body: { name, purpose } });
    if (succeeded(reply)) {
      await warnOfCarriers(output, name);
      return output.record(reply, senderIdView);
    }
    const existing = options.ifNotExists ? await existingOne(service, name, reply) : undefined;
    if (existing === undefined) return output.record(reply, senderIdView);
    await warnOfPurpose(output, { name, purpose }, existing);
    return output.record(existing, senderIdView);
  },
});

/** The sender ID that a create ran into. How another service refuses a taken name is not known. */
async function existingOne(
  service: Service,
  name: string,
  refusal: Reply,
): Promise<Reply | undefined> {
  if (![400, 409, 422].includes(refusal.status)) return undefined;
  if (["", ".", ".."].includes(name)) return undefined;
  const found = await service["sender-id.fetch"]({ path: { name } });
  return succeeded(found) ? found : undefined;
}

async function warnOfCarriers(output: Output, name: string): Promise<void> {
  if (carrierForm.test(name)) return;
  await output.warn(
    "carriers may refuse this name: they take up to 11 letters, digits and spaces, without accents",
  );
}

async function warnOfPurpose(
  output: Output,
  { purpose }: SenderIdFields,
  existing: Reply,
): Promise<void> {
  const record = existing.envelope!.data as { readonly purpose?: unknown };
  if (record.purpose === purpose) return;
  await output.warn("the sender ID exists already, with another purpose, which stays as it is");
}
