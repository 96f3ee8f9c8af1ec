import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../contacts/contacts.test.ts"));
