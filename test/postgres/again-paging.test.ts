import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../engine/paging.test.ts"));
