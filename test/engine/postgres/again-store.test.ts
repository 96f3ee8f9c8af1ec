import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../store.test.ts"));
