import { repeatOnPostgres } from "./postgres-database.ts";

repeatOnPostgres(async () => {
  await import("../../contract/contract.test.ts");
  await import("../../contract/cursor.test.ts");
  await import("../model/model.test.ts");
  await import("../store.test.ts");
  await import("../rulings.test.ts");
  await import("../paging.test.ts");
  await import("../behaviour/switches.test.ts");
  await import("../behaviour/combinations.test.ts");
  await import("../behaviour/unique-names.test.ts");
  await import("../behaviour/details.test.ts");
  await import("../contacts/contacts.test.ts");
  await import("../administration/review.test.ts");
  await import("../maintenance/copied-tables.test.ts");
});
