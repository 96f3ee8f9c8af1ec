import type { Context } from "../../../cli/context.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { required } from "../../arguments.ts";
import { keyView } from "../../../output/views.ts";

export async function createKey(
  context: Context,
  { integration }: { readonly integration: string },
): Promise<ExitCode> {
  const { administration } = await context.local();
  return context.output.record(await administration.createKey(integration), keyView);
}

export async function listKeys(context: Context): Promise<ExitCode> {
  const { administration } = await context.local();
  return context.output.page(await administration.listKeys(), keyView);
}

export async function revokeKey(context: Context, givenId: string | undefined): Promise<ExitCode> {
  const id = await required(context, givenId, "ID", "Id of the key");
  const { administration } = await context.local();
  return context.output.done(await administration.revokeKey(id));
}
