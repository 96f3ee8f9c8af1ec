import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../../contract/property.test.ts"));
