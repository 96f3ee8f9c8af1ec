import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../engine/rulings.test.ts"));
