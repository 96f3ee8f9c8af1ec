import { repeatOnPostgres } from "./postgres-database.ts";

repeatOnPostgres(() => import("../maintenance/copied-tables.test.ts"));
