import type { Context } from "../../../cli/context.ts";
import type { Page } from "../../../contract/records.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError } from "../../../contract/error.ts";
import { safeText } from "../../../output/safe-text.ts";
import { required } from "../../arguments.ts";
import type { DeleteOptions } from "../../confirm-delete.ts";
import { integrationView } from "../../../output/views.ts";

type Named = { readonly name: string };

const question = "Name of the integration";

export async function createIntegration(
  context: Context,
  givenName: string | undefined,
): Promise<ExitCode> {
  const name = await required(context, givenName, "NAME", question);
  const { administration } = await context.local();
  return context.output.record(await administration.createIntegration(name), integrationView);
}

export async function listIntegrations(context: Context): Promise<ExitCode> {
  const { administration } = await context.local();
  return context.output.page(await administration.listIntegrations(), integrationView);
}

/** Deletes an integration and all that belongs to it, once that is confirmed. */
export async function deleteIntegration(
  context: Context,
  givenName: string | undefined,
  options: DeleteOptions,
): Promise<ExitCode> {
  const name = await required(context, givenName, "NAME", question);
  const { administration } = await context.local();
  const { data } = (await administration.listIntegrations()).envelope!.data as Page<Named>;
  // What can't be deleted is told before anything is asked.
  const isThere = name !== "default" && data.some((integration) => integration.name === name);
  if (options.yes !== true && isThere) {
    const prompter = context.prompter();
    if (prompter === undefined) {
      throw new SendctlError("usage", "Deleting has to be confirmed: give --yes");
    }
    const what = `integration ${safeText(name)} with its sender IDs, groups, contacts and keys`;
    if (!(await prompter.confirm(`Delete ${what}?`)))
      return context.output.declined("Nothing deleted");
  }
  return context.output.done(await administration.deleteIntegration(name));
}
