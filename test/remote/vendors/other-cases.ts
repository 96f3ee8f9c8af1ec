import { alwaysWrong, groupNamed, unless, type CommandCase } from "./command-case.ts";

const wrongKey = "sk_wrong";
const nothing = (): string[] => [];

export const otherCases: readonly CommandCase[] = [
  {
    name: "api GET",
    args: (before) => ["api", "GET", `/v1/group/${groupNamed(before, "VIP").id}`],
    // The body is shown unchanged, even if it is empty.
    wrongSuccess: ({ stdout }) =>
      unless(stdout === "" || stdout.includes('"Cheers"'), "another record is shown"),
  },
  {
    name: "api GET, unknown",
    args: () => ["api", "GET", "/v1/group/77777"],
    wrongSuccess: ({ stdout }) => unless(stdout === "", "a missing group was fetched"),
  },
  {
    name: "api POST",
    args: () => ["api", "POST", "/v1/group", "--body", '{"name":"Fresh"}'],
    maxChanges: { addedGroups: 1 },
    wrongSuccess: (_, { addedGroups }) =>
      unless(addedGroups[0]?.name === "Fresh", "it was not created"),
  },
  {
    name: "api DELETE",
    args: (before) => ["api", "DELETE", `/v1/group/${groupNamed(before, "Customers").id}`],
    maxChanges: { removedGroups: 1 },
    wrongSuccess: (_, { removedGroups }) =>
      unless(removedGroups[0]?.name === "Customers", "it was not removed"),
  },
  { name: "login", args: () => ["login", "--with-key"], stdin: "KEY", wrongSuccess: nothing },
  {
    name: "login, wrong key",
    args: () => ["login", "--with-key"],
    stdin: wrongKey,
    wrongSuccess: alwaysWrong("a wrong key was accepted"),
  },
  { name: "doctor", args: () => ["doctor"], wrongSuccess: nothing },
  {
    name: "doctor, wrong key",
    args: () => ["doctor"],
    key: wrongKey,
    wrongSuccess: alwaysWrong("a wrong key was accepted"),
  },
  {
    name: "group list, wrong key",
    args: () => ["group", "list"],
    key: wrongKey,
    wrongSuccess: alwaysWrong("a wrong key was accepted"),
  },
];
