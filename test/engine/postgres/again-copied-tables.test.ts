import { againOnPostgres } from "./postgres-database.ts";

againOnPostgres(() => import("../maintenance/copied-tables.test.ts"));
