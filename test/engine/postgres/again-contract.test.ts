import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../../contract/contract.test.ts"));
