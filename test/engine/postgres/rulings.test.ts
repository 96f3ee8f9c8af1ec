import { repeatOnPostgres } from "./postgres-database.ts";

repeatOnPostgres(async () => {
  await import("../rulings.test.ts");
  await import("../rulings-accepted.test.ts");
});
