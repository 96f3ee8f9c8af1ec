import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replay } from "./session.ts";

const folder = join(import.meta.dirname, "sessions");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
const sessions = files.filter((file) => file.endsWith(".txt")).toSorted();

test.for(sessions)("%s", async (session) => {
  const file = join(folder, session);
  const replayed = await replay(readFileSync(file, "utf8"));
  if (process.env["UPDATE_TRANSCRIPTS"] === "1") writeFileSync(file, replayed);
  expect(replayed).toBe(readFileSync(file, "utf8"));
});
