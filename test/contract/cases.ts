import { create as createGroup, groupCases } from "./group-cases.ts";
import { nameCases } from "./name-cases.ts";
import { allPageCases } from "./page-cases.ts";
import { group, listedGroup, page, senderId } from "./records.ts";
import { create as createSenderId, senderIdCases } from "./sender-id-cases.ts";
import { invalid, noGroup, noSenderId, step, type Case } from "./step.ts";

const otherSenderId = { path: { name: "THEIRS" } };

/** Records belong to the integration of the key: "The interface" in docs/behaviour.md. */
const scopeCases: readonly Case[] = [
  {
    name: "records of another integration are not found and not changed",
    steps: [
      createSenderId(1, "OURS"),
      createGroup(1, "Ours"),
      { ...createSenderId(2, "THEIRS"), by: "other" },
      { ...createGroup(2, "Theirs"), by: "other" },
      step("sender-id.fetch", otherSenderId, noSenderId("THEIRS")),
      step("sender-id.delete", otherSenderId, noSenderId("THEIRS")),
      ...["2", "uuid:2"].flatMap((id) => [
        step("group.fetch", { path: { id } }, noGroup(id)),
        step("group.update", { path: { id }, body: { name: "Ours now" } }, noGroup(id)),
        step("group.delete", { path: { id } }, noGroup(id)),
      ]),
      ...["THEIRS", "2"].map((sender_id) =>
        step("group.update", { path: { id: "1" }, body: { sender_id } }, invalid("sender_id")),
      ),
      step("sender-id.list", { query: {} }, { data: page([senderId(1, "OURS")]) }),
      step("group.list", { query: {} }, { data: page([listedGroup(1, "Ours")]) }),
      step("sender-id.fetch", otherSenderId, { data: senderId(2, "THEIRS") }, "other"),
      step("group.fetch", { path: { id: "uuid:2" } }, { data: group(2, "Theirs") }, "other"),
      step("group.list", { query: {} }, { data: page([listedGroup(2, "Theirs")]) }, "other"),
      step("sender-id.list", { query: {} }, { data: page([senderId(2, "THEIRS")]) }, "other"),
    ],
  },
  {
    name: "names are unique within an integration, ids across all integrations",
    steps: [
      createSenderId(1, "ACME"),
      { ...createSenderId(2, "ACME"), by: "other" },
      step("sender-id.delete", { path: { name: "ACME" } }, { data: null }),
      step("sender-id.fetch", { path: { name: "ACME" } }, noSenderId("ACME")),
      step("sender-id.fetch", { path: { name: "ACME" } }, { data: senderId(2, "ACME") }, "other"),
      createSenderId(3, "ACME"),
    ],
  },
];

/** The contract of the service, for every transport. */
export const cases: readonly Case[] = [
  ...senderIdCases,
  ...groupCases,
  ...scopeCases,
  ...allPageCases,
  ...nameCases,
];
