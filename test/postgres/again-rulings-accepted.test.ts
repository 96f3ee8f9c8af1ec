import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../engine/rulings-accepted.test.ts"));
