import { withoutPassword } from "../../config/database-url.ts";
import type { Page } from "../../contract/records.ts";
import type { PageQuery, Reply, ShownRecord } from "../../contract/service.ts";
import { onePageReply, lineOf } from "../../output/replies.ts";
import type { List } from "../../service/pages.ts";
import type { Capabilities } from "../capabilities.ts";

export type RecordKind = "group" | "sender-id";

/** Returns a function that lists the records of the chosen service. */
export function listOf({ ask }: Capabilities, kind: RecordKind): List {
  return ask.list(`${kind}.list`);
}

/** Returns a function that lists the records of the embedded engine, even if a service is chosen. */
export function localListOf({ local }: Capabilities, kind: RecordKind): List {
  return async (query: PageQuery): Promise<Reply> => {
    const engine = await local.engine("read");
    const { key, source } = await local.key("read");
    return (await engine.service(key, source))[`${kind}.list`]({ query });
  };
}

/** Lists the integrations or the keys of the embedded engine. */
export async function administered(
  { local }: Capabilities,
  operation: "listIntegrations" | "listKeys",
): Promise<Reply> {
  return (await local.engine("read")).administration[operation]();
}

/** Returns the records of a page. */
export function recordsOf(reply: Reply): readonly ShownRecord[] {
  return (reply.envelope!.data as Page<ShownRecord>).data;
}

/** Lists the profiles of the config file. */
export function profileList({ config }: Capabilities): Reply {
  const { current, profiles } = config.read();
  const records = [...profiles].map(([name, { baseUrl, database }]) => ({
    name,
    current: name === current,
    base_url: baseUrl ?? (database === undefined ? null : withoutPassword(database)),
  }));
  return onePageReply("Profiles retrieved", records.map(lineOf));
}
