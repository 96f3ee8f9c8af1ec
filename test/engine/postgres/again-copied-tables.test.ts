import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../maintenance/copied-tables.test.ts"));
