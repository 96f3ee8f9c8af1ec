import { againOnPostgres } from "./postgres-database.ts";

againOnPostgres(() => import("../../contract/property.test.ts"));
