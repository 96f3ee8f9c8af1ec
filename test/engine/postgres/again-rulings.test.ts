import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../rulings.test.ts"));
