import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../engine/review.test.ts"));
