import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { answering, group, page, senderId, envelope } from "../sample-responses.ts";
import { applyManifest, liveService, serveRecords } from "./apply-remote.ts";
import { runAgainst } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const hello = { ...group, birthday_message: "Hello" };
const other = { ...hello, id: 13, uuid: "00000000-0000-4000-8000-000000000001", name: "Other" };

/** A service whose list items lack a field. */
function without(field: string, isFetched: boolean): Script {
  const { script } = liveService({ groups: [other, hello], senderIds: [senderId] });
  const cut = (record: object) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));
  return ({ target, ...received }, conversation) =>
    script(
      { target, ...received },
      {
        ...conversation,
        respond: (status, body) => {
          const { data } = body as { data: { data?: object[] } };
          const shown = data.data?.map(cut);
          if (shown !== undefined) return conversation.respond(status, envelope(page(shown)));
          return conversation.respond(status, isFetched ? body : envelope(cut(data)));
        },
      },
    );
}

const fields = [
  ["birthday_message", 'birthday_message: "?Hello', 2],
  ["send_birthday", "send_birthday: true", 2],
  ["purpose", "purpose: Order updates", 1],
] as const;

describe("a field that list items lack", () => {
  test.for(fields)("is fetched by export: %s", async ([field, line, count], { expect }) => {
    const exported = await runAgainst(without(field, true), ["export"]);
    expect(exported).toMatchObject({ exitCode: 0, violations: [] });
    expect(exported.stdout.match(new RegExp(line, "g"))).toHaveLength(count);
    const failed = await runAgainst(without(field, false), ["export", "--json"]);
    expect(failed).toMatchObject({ exitCode: 10, violations: [] });
    expect(failed.stderr).toContain(`does not show the ${field} of the `);
  });

  const manifest = {
    groups: [{ name: "Customers", send_birthday: true, birthday_message: "Hello" }],
    sender_ids: [{ name: "ACME", purpose: "Order updates" }],
  };

  test.for(fields)(
    "is fetched for records of the manifest: %s",
    async ([field], { home, expect }) => {
      const same = await applyManifest(home, manifest, without(field, true), ["diff"]);
      expect(same, same.stderr).toMatchObject({ exitCode: 0, violations: [] });
      const path = field === "purpose" ? "/v1/sender-id/ACME" : "/v1/group/12";
      expect(same.requests.filter((line) => !line.includes("?"))).toStrictEqual([`GET ${path}`]);
      for (const args of [
        ["diff", "--json"],
        ["apply", "--yes", "--json"],
      ]) {
        const failed = await applyManifest(home, manifest, without(field, false), args);
        expect(failed).toMatchObject({ exitCode: 10, violations: [] });
        expect(failed.requests.every((line) => line.startsWith("GET "))).toBe(true);
      }
    },
  );
});

test("a plan has only the records of the last reading of lists that change", async ({
  home,
  expect,
}) => {
  let isIncomplete = true;
  const whole = serveRecords({ groups: [hello] }, answering(500));
  const script: Script = (received, conversation) => {
    const { target } = received;
    if (!isIncomplete) return whole(received, conversation);
    // A page of one record, of which the second never comes.
    conversation.respond(200, envelope(page([other], { total: 2 })));
    isIncomplete = !target.includes("perPage=3");
  };
  const manifest = { groups: [{ name: "Customers" }, { name: "Other" }] };
  const result = await applyManifest(home, manifest, script, ["diff", "--json"]);
  expect(result, result.stderr).toMatchObject({ exitCode: 12, violations: [] });
  expect(JSON.parse(result.stdout)).toMatchObject({
    data: { summary: { created: 1, unchanged: 1 } },
  });
});
