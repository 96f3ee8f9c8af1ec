import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../engine/contacts.test.ts"));
