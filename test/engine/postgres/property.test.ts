import { repeatOnPostgres } from "./postgres-database.ts";

repeatOnPostgres(() => import("../../contract/property.test.ts"));
