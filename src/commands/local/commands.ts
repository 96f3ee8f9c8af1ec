import { localBirthdays } from "./contact/birthdays.ts";
import { localContactAdd } from "./contact/add.ts";
import { localContactDelete } from "./contact/delete.ts";
import { localContactImport } from "./contact/import.ts";
import { localContact, localContactList } from "./contact/list.ts";
import { localBackup, localRestore } from "./database/backup.ts";
import { localCheck } from "./database/check.ts";
import { localCopy } from "./database/copy.ts";
import { localInfo } from "./database/info.ts";
import { localMigrate } from "./database/migrate.ts";
import { localReset } from "./database/reset.ts";
import { localSeed } from "./database/seed.ts";
import { integrationCommands } from "./integrations.ts";
import { keyCommands } from "./keys.ts";
import { localLog } from "./log.ts";
import { localReview } from "./review.ts";
import { localRun } from "./run.ts";

/** The commands of `sendctl local`, in the order of its help. */
export const commands = [
  ...integrationCommands,
  ...keyCommands,
  localInfo,
  localMigrate,
  localCheck,
  localBackup,
  localRestore,
  localReset,
  localCopy,
  localContact,
  localContactImport,
  localContactList,
  localContactAdd,
  localContactDelete,
  localBirthdays,
  localReview,
  localLog,
  localSeed,
  localRun,
];
