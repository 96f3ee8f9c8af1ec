import { repeatOnPostgres } from "./postgres-database.ts";

repeatOnPostgres(async () => {
  await import("../contacts/contacts.test.ts");
  await import("../store.test.ts");
  await import("../rulings.test.ts");
  await import("../paging.test.ts");
  await import("../administration/review.test.ts");
  await import("../maintenance/copied-tables.test.ts");
});
