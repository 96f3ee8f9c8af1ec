import { expect, test } from "vitest";
import { targetName } from "../../src/service/target-name.ts";

const sources = {
  profile: "default",
  mode: "default",
  baseUrl: "default",
  secretKey: "default",
  database: "default",
  output: "default",
  timeout: "default",
  retries: "default",
} as const;
const local = { baseUrl: undefined, database: "/data/sendctl.db", profile: undefined, sources };
const remote = { ...local, baseUrl: "https://sms.example.com", profile: "prod" };

test("a target is its URL or its database, and the profile that named it", () => {
  expect(targetName(local)).toBe("/data/sendctl.db");
  expect(
    targetName({ ...local, profile: "dev", sources: { ...sources, database: "profile" } }),
  ).toBe("/data/sendctl.db (profile dev)");
  expect(targetName({ ...remote, sources: { ...sources, baseUrl: "profile" } })).toBe(
    "https://sms.example.com (profile prod)",
  );
  expect(targetName({ ...remote, sources: { ...sources, baseUrl: "flag" } })).toBe(
    "https://sms.example.com",
  );
});
