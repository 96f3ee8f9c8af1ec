/** better-sqlite3, in the version whose addon runs on this Node. */
const isNode20 = process.versions.node.startsWith("20.");
const { default: Sqlite } = await (isNode20
  ? import("better-sqlite3")
  : import("better-sqlite3-driver"));
export { Sqlite };
