/** better-sqlite3 13, whose JavaScript is bundled: see database-file.ts. */
declare module "better-sqlite3-driver" {
  import Sqlite from "better-sqlite3";
  export default Sqlite;
}
