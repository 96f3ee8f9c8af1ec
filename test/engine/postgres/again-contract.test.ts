import { againOnPostgres } from "./postgres-database.ts";

againOnPostgres(async () => {
  await import("../../contract/contract.test.ts");
  await import("../model/model.test.ts");
});
