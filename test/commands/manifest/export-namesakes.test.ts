import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withTrial } from "../../remote/vendors/try-command.ts";

const seed = {
  senderIds: [
    { name: "ACME" },
    { name: "Twins", purpose: "First" },
    { name: "Twins", purpose: "Second" },
  ],
  groups: [{ name: "VIP" }, { name: "VIP", send_birthday: true }, { name: "Friends" }],
};

test.for([["export"], ["export", "--json"]])(
  "%s omits sender IDs that share a name with a warning, and can be applied",
  (args) =>
    withTrial({}, { seed }, async (trial) => {
      const exported = await trial.run(args);
      expect(exported.exitCode).toBe(0);
      expect(exported.stderr.match(/sender ID "Twins"/g)).toHaveLength(2);
      expect(exported.stdout.match(/^#.*"Twins"/gm) ?? []).toHaveLength(args.length === 1 ? 2 : 0);
      writeFileSync(join(trial.folder, "manifest.json"), exported.stdout);
      const diff = await trial.run(["diff", "-f", "manifest.json", "--json"]);
      expect(diff.exitCode, diff.stdout).toBe(0);
      expect(JSON.parse(diff.stdout)).toMatchObject({
        data: { summary: { unchanged: 4, not_managed: { sender_ids: 2, groups: 0 } } },
      });
    }),
);
