import { againOnPostgres } from "./postgres-database.ts";

againOnPostgres(async () => {
  await import("../rulings.test.ts");
  await import("../rulings-accepted.test.ts");
});
