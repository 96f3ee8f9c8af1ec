import type { Reply } from "../../contract/service.ts";
import { doneWith, invalid, notFound } from "../replies.ts";
import { reviewStatuses } from "../rulings.ts";
import type { ReviewStore } from "../store.ts";
import { senderIdRecord } from "../records.ts";

/** Sets the status of a sender ID, from any status to any (ruling 17). The reply has the shape of the service's. */
export async function reviewSenderId(
  store: ReviewStore,
  integration: number,
  { name, status }: { readonly name: string; readonly status: string },
): Promise<Reply> {
  if (!reviewStatuses.includes(status)) {
    return invalid({ status: [`must be one of ${reviewStatuses.join(", ")}`] });
  }
  const stored = await store.setSenderIdStatus(integration, name, status);
  return stored === undefined
    ? notFound("Sender ID", name)
    : doneWith(200, "Sender reviewed", senderIdRecord(stored));
}
