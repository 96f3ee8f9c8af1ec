import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test } from "../support/serving.ts";

const mayBeReset = /may have reset the sender ID/;

describe("serve says whether an update keeps omitted fields", () => {
  test.for([
    ["kept", false],
    ["reset", true],
  ] as const)(
    "so the client warns only if it does not: %s",
    async ([omitted_in_update, isWarned], { home, serveHere, expect }) => {
      await writeFile(join(home.folder, "b.json"), JSON.stringify({ omitted_in_update }));
      const { client } = await serveHere(["--behaviour", "b.json"]);
      await home.run(["group", "create", "Customers"], client);
      const update = ["group", "update", "Customers", "--send-birthday"];
      const { exitCode, stderr } = await home.run(update, client);
      expect(exitCode).toBe(0);
      expect(mayBeReset.test(stderr), stderr).toBe(isWarned);
    },
  );
});
