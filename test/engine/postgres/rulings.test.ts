import { repeatOnPostgres } from "./postgres-database.ts";

repeatOnPostgres(() => import("../rulings.test.ts"));
