import { repeatOnPostgres } from "./postgres-database.ts";

repeatOnPostgres(async () => {
  await import("../../contract/contract.test.ts");
  await import("../../contract/cursor.test.ts");
  await import("../model/model.test.ts");
});
