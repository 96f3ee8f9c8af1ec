import { localBirthdays } from "./contact/birthdays.ts";
import { localContactAdd } from "./contact/add.ts";
import { localContactDelete } from "./contact/delete.ts";
import { localContactImport } from "./contact/import.ts";
import { localContactList } from "./contact/list.ts";
import { localContact } from "./contact/noun.ts";
import { localBackup } from "./database/backup.ts";
import { localCheck } from "./database/check.ts";
import { localCopy } from "./database/copy.ts";
import { localInfo } from "./database/info.ts";
import { localMigrate } from "./database/migrate.ts";
import { localReset } from "./database/reset.ts";
import { localRestore } from "./database/restore.ts";
import { localSeed } from "./database/seed.ts";
import { localIntegrationCreate } from "./integration/create.ts";
import { localIntegrationDelete } from "./integration/delete.ts";
import { localIntegrationList } from "./integration/list.ts";
import { localIntegration } from "./integration/noun.ts";
import { localKeyCreate } from "./key/create.ts";
import { localKeyList } from "./key/list.ts";
import { localKey } from "./key/noun.ts";
import { localKeyRevoke } from "./key/revoke.ts";
import { localLog } from "./log.ts";
import { localReview } from "./review.ts";
import { localRun } from "./run.ts";

/** The commands of `sendctl local`, in the order of its help. */
export const commands = [
  localIntegration,
  localIntegrationCreate,
  localIntegrationList,
  localIntegrationDelete,
  localKey,
  localKeyCreate,
  localKeyList,
  localKeyRevoke,
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
