import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../administration/review.test.ts"));
