import { repeatOnPostgres } from "./postgres-database.ts";

repeatOnPostgres(async () => {
  await import("../behaviour/switches.test.ts");
  await import("../behaviour/combinations.test.ts");
  await import("../behaviour/unique-names.test.ts");
  await import("../behaviour/details.test.ts");
});
