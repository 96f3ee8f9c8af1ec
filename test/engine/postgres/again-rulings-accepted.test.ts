import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../rulings-accepted.test.ts"));
