import { describe, expect, test } from "vitest";
import { inSituation } from "./judge.ts";
import { choices } from "./switches.ts";

describe.for(choices.refusalShape)("a refusal with its text in: %s", (refusalShape) => {
  test("is shown once", () => {
    const switches = { refusalShape, uniqueNames: "exact", takenStatus: 422 } as const;
    return inSituation({ switches }, async (trial) => {
      const { exitCode, stderr } = await trial.run(["group", "create", "VIP"]);
      expect(exitCode).toBe(6);
      expect(stderr.match(/has already been taken/g)).toHaveLength(1);
    });
  });

  test.for(["by status", "always 200"] as const)("is shown by login and doctor: %s", (refusals) =>
    inSituation({ switches: { refusalShape, refusals } }, async (trial) => {
      const login = await trial.run(["login", "--with-key"], { stdin: "sk_wrong" });
      expect(login.exitCode).not.toBe(0);
      expect(login.stderr).toContain("Unauthenticated.");
      const doctor = await trial.run(["doctor"], { key: "sk_wrong" });
      expect(doctor.exitCode).not.toBe(0);
      expect(doctor.stdout).toContain("Unauthenticated.");
    }),
  );
});
