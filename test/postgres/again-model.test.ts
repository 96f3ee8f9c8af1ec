import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../engine/model.test.ts"));
