import { againOnPostgres } from "./database.ts";

againOnPostgres(() => import("../model/model.test.ts"));
