import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../engine/store.test.ts"));
