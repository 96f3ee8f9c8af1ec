import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../paging.test.ts"));
