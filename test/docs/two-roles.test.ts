import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { describeOnPostgres } from "../engine/postgres/postgres-database.ts";
import { makeHome } from "../support/home.ts";
import { startServe } from "../support/serving.ts";
import { parsed, textOf } from "./markdown.ts";

const section = textOf("docs/postgresql.md").split("\n## Two roles\n")[1]!.split(/\n## /)[0]!;
const sql = parsed(section)
  .blocks.find(({ language }) => language === "sql")!
  .lines.join("\n");
const [asSuperuser = "", inDatabase = ""] = sql.split("\n\\connect sendctl\n");
/** Returns the words of a command in the text, without `sendctl`. */
const wordsOf = (command: string): string[] =>
  new RegExp(`\`sendctl (${command} [^\`]+)\``).exec(section)![1]!.split(" ");
const [createKey, serveCommand] = [wordsOf("local key create"), wordsOf("serve")];

const notPermitted = "42501";

describeOnPostgres((server) => {
  async function connected(user: string, database: string): Promise<Client> {
    const client = new Client({ host: "127.0.0.1", port: server().port, user, database });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  test(
    "the roles of docs/postgresql.md create the tables and serve",
    { timeout: 120_000 },
    async () => {
      const superuser = await connected(server().user, "postgres");
      // CREATE DATABASE does not run with other statements.
      for (const statement of asSuperuser.split(";\n")) await superuser.query(statement);
      await (await connected(server().user, "sendctl")).query(inDatabase);

      const home = await makeHome();
      onTestFinished(() => rm(home.folder, { recursive: true, force: true }));
      const here = (words: readonly string[]): string[] =>
        words.map((word) => word.replace("db.example", `127.0.0.1:${server().port}`));
      const run = (env: Record<string, string>, ...args: string[]) => home.run(args, env);
      const done = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
        const { exitCode, stdout, stderr } = await run(env, ...args);
        expect([args, exitCode, stderr]).toEqual([args, 0, stderr]);
        return stdout;
      };

      const serveArgs = here(serveCommand.slice(1));
      const early = await run({}, "serve", ...serveArgs, "--json");
      expect(early.exitCode).toBe(11);
      const created = JSON.parse(await done({}, ...here(createKey), "--json")) as {
        data: { secret_key: string };
      };
      const { serve, kill } = await startServe(home, [...serveArgs, "--port", "0"], {});
      onTestFinished(async () => void (await kill()));

      const client = { ...serve.client, SENDCTL_SECRET_KEY: created.data.secret_key };
      await done(client, "sender-id", "create", "ACME", "--purpose", "Alerts");
      await done(client, "sender-id", "list");
      await done(client, "sender-id", "fetch", "ACME");
      await done(client, "group", "create", "Friends", "--send-birthday");
      await done(client, "group", "list");
      await done(client, "group", "fetch", "1");
      await done(client, "group", "update", "1", "--sender-id", "ACME");
      await done(client, "group", "delete", "1", "--yes");
      await done(client, "sender-id", "delete", "ACME", "--yes");

      const [address = ""] = serveArgs.slice(-1);
      const local = { SENDCTL_DATABASE: address };
      await writeFile(join(home.folder, "contacts.csv"), "phone,first_name\n+447911123401,Ada\n");
      await done(local, "sender-id", "create", "ACME", "--purpose", "Alerts");
      await done(local, "local", "review", "ACME", "--status", "APPROVED");
      await done(local, "group", "create", "Customers");
      await done(local, "local", "contact", "import", "2", join(home.folder, "contacts.csv"));
      await done(local, "local", "contact", "add", "2", "+447911123402");
      await done(local, "local", "contact", "delete", "2", "+447911123402", "--yes");
      expect(await done(local, "local", "contact", "list", "2", "-o", "csv")).toContain("Ada");
      await done(local, "local", "birthdays");
      await done(local, "local", "integration", "create", "billing");
      await done(local, "local", "key", "create", "--integration", "billing");
      await done(local, "local", "key", "revoke", "2", "--yes");
      await done(local, "local", "integration", "delete", "billing", "--yes");
      await done(local, "local", "seed", "--groups", "5", "--contacts", "20", "--sender-ids", "2");
      await done(local, "local", "info");
      await done(local, "local", "info");
      await done(local, "local", "copy", "--to", join(home.folder, "copy.db"));
      expect((await run(local, "local", "reset", "--yes")).exitCode).toBe(11);

      const serving = await connected("sendctl_server", "sendctl");
      for (const statement of [
        "CREATE TABLE sendctl.more (id integer)",
        "ALTER TABLE sendctl.contact ADD COLUMN more integer",
        "CREATE INDEX more ON sendctl.contact (first_name)",
        "DROP TABLE sendctl.contact",
        "TRUNCATE sendctl.contact",
        "CREATE SCHEMA more",
      ]) {
        await expect(serving.query(statement), statement).rejects.toMatchObject({
          code: notPermitted,
        });
      }
      const owner = await connected("sendctl_owner", "sendctl");
      await owner.query("CREATE TABLE sendctl.later (id integer)");
      await serving.query("INSERT INTO sendctl.later VALUES (1)");
      expect((await serving.query("DELETE FROM sendctl.later")).rowCount).toBe(1);

      // Imports alone need TEMPORARY, also of one contact.
      await superuser.query("REVOKE TEMPORARY ON DATABASE sendctl FROM sendctl_server");
      for (const words of ["import 2 contacts.csv", "add 2 +447911123403"]) {
        const { exitCode } = await run(local, "local", "contact", ...words.split(" "));
        expect([words, exitCode]).toEqual([words, 11]);
      }
      await done(local, "local", "contact", "delete", "2", "+447911123401", "--yes");
      expect(await serve.stop()).toMatchObject({ exitCode: 0 });
    },
  );
});
