import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { showRecord } from "./answer.ts";
import { pickRecord } from "./pick.ts";
import { knownStatuses } from "./statuses.ts";
import { senderIdView } from "./views.ts";

/**
 * Sets the status of a sender ID, from any to any: ruling 17.
 *
 * @throws Failure "usage" for a status that there is not, or nobody to ask for what is missing
 */
export async function reviewSenderId(
  context: Context,
  givenName: string | undefined,
  options: { readonly status?: string },
): Promise<ExitCode> {
  const given = options.status === undefined ? undefined : statusOf(options.status);
  const embedded = await context.local();
  const { key, source } = keyOf(context);
  const name = givenName ?? (await pickName());
  const status = given ?? (await askStatus(context));
  return showRecord(context, await embedded.review({ name, status }, key, source), senderIdView);

  async function pickName(): Promise<string> {
    const prompter = context.prompter();
    if (prompter === undefined) throw new Failure("usage", "NAME is missing: give it");
    const service = await embedded.service(key, source);
    return pickRecord(prompter, (query) => service["sender-id.list"]({ query }), senderIdView);
  }
}

/** The key that selects the integration here. That of a remote profile is for its service alone. */
function keyOf({ settings }: Context): { key: string | undefined; source?: string } {
  const { secretKey, sources, baseUrl, profile } = settings;
  if (sources.secretKey !== "profile") return { key: secretKey };
  return { key: baseUrl === undefined ? secretKey : undefined, source: `profile ${profile}` };
}

function statusOf(text: string): string {
  const status = knownStatuses.find((known) => known === text.toUpperCase());
  if (status !== undefined) return status;
  const known = knownStatuses.join(", ");
  throw new Failure("usage", `--status is "${text}": it can be ${known}`);
}

async function askStatus(context: Context): Promise<string> {
  const prompter = context.prompter();
  if (prompter === undefined) throw new Failure("usage", "--status STATUS is missing: give it");
  const choices = knownStatuses.map((status) => ({ value: status, name: status }));
  return prompter.select("Status", choices);
}
