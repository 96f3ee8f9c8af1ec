import type { Context } from "../../cli/context.ts";
import {
  succeeded,
  type Reply,
  type SenderIdFields,
  type Service,
} from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { required } from "../arguments.ts";
import { senderIdView } from "../../output/views.ts";

export interface SenderIdCreateOptions {
  readonly purpose?: string;
  readonly ifNotExists?: boolean;
}

/** Ruling 5: what carriers take for an alphanumeric sender. */
const carrierForm = /^[A-Za-z0-9 ]{1,11}$/;

/** Creates a sender ID; with `--if-not-exists` one that is there already is as good. */
export async function createSenderId(
  context: Context,
  givenName: string | undefined,
  options: SenderIdCreateOptions,
): Promise<ExitCode> {
  const name = await required(context, givenName, "NAME", "Name of the sender ID");
  const purpose = await required(context, options.purpose, "--purpose TEXT", "What it is used for");
  const service = await context.service();
  const reply = await service["sender-id.create"]({ body: { name, purpose } });
  if (succeeded(reply)) {
    await warnOfCarriers(context, name);
    return context.output.record(reply, senderIdView);
  }
  const existing = options.ifNotExists === true && (await existingOne(service, name, reply));
  if (existing === false || existing === undefined)
    return context.output.record(reply, senderIdView);
  await warnOfPurpose(context, { name, purpose }, existing);
  return context.output.record(existing, senderIdView);
}

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

async function warnOfCarriers(context: Context, name: string): Promise<void> {
  if (carrierForm.test(name)) return;
  await context.output.warn(
    "carriers may refuse this name: they take up to 11 letters, digits and spaces, without accents",
  );
}

async function warnOfPurpose(
  context: Context,
  { purpose }: SenderIdFields,
  existing: Reply,
): Promise<void> {
  const record = existing.envelope!.data as { readonly purpose?: unknown };
  if (record.purpose === purpose) return;
  await context.output.warn(
    "the sender ID exists already, with another purpose, which stays as it is",
  );
}
