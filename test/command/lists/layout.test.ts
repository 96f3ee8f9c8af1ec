import { describe } from "vitest";
import { insertGroups, test, type Home } from "../../support/home.ts";

async function fill(home: Home): Promise<void> {
  await insertGroups(home, [
    { name: "Customers", message: 'say "hi"' },
    { name: "Two\nlines", message: "x" },
  ]);
}

const list = ["group", "list"];

describe("-0", () => {
  test("produces input for commands that accept several records", async ({ home, expect }) => {
    await fill(home);
    const { exitCode } = await home.shell(
      "sendctl group list -o id -0 | sendctl group delete - -0 --yes",
    );
    expect(exitCode).toBe(0);
    expect((await home.run([...list, "-o", "id"])).stdout).toBe("");
  });
});
