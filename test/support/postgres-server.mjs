/** Runs PostgreSQL. Plain JavaScript, because programs of bench use it too; the types are in the `.d.mts`. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "./ports.mjs";

/** Returns folders to search for the programs: Debian's, newest version first, and PATH. */
function programFolders() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const newestFirst = versions.toSorted((one, other) => Number(other) - Number(one));
  return [
    ...newestFirst.map((version) => join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
}

const programs = programFolders().find(
  (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
);

/** Why no server can be started; undefined if one can. */
export const whyNoPostgres = missing();

function missing() {
  if (programs === undefined) return "initdb and postgres are not installed";
  return owner() === undefined
    ? "PostgreSQL does not run as root, and the user postgres does not exist"
    : undefined;
}

function id(...args) {
  return execFileSync("id", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/** Returns the user to run PostgreSQL as, which refuses to run as root. */
function owner() {
  try {
    if (process.getuid() !== 0) return { name: id("-un") };
    const ids = { uid: Number(id("-u", "postgres")), gid: Number(id("-g", "postgres")) };
    return { name: "postgres", ids };
  } catch {
    return undefined;
  }
}

/** Ends the server of a folder and deletes the folder once this process ends, in whatever way, or ends its input. */
function startCleaner(folder) {
  const script = `cat; file="$1/data/postmaster.pid"; kill -QUIT $(head -n 1 "$file")
    for _ in $(seq 50); do test -e "$file" || break; sleep 0.1; done; rm -rf "$1"`;
  const options = { detached: true, stdio: ["pipe", "ignore", "ignore"] };
  const cleaner = spawn("sh", ["-c", script, "sh", folder], options);
  cleaner.unref();
  cleaner.stdin.unref();
  return cleaner;
}

/** Starts a server, which ends with this process. */
export async function startPostgres({ isDurable = false } = {}) {
  if (whyNoPostgres !== undefined) throw new Error(whyNoPostgres);
  const { name: user, ids } = owner();
  const folder = mkdtempSync(join(tmpdir(), "sendctl-postgres-"));
  const data = join(folder, "data");
  await mkdir(data);
  await chmod(folder, 0o755);
  if (ids !== undefined) await chown(data, ids.uid, ids.gid);
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    // stderr becomes part of the error.
    { stdio: ["ignore", "ignore", "pipe"], cwd: folder, ...ids },
  );
  const port = await freePort();
  let running;
  let log = "";

  const end = async (signal) => {
    const one = running;
    running = undefined;
    if (one === undefined || one.exitCode !== null) return;
    one.kill(signal);
    await once(one, "exit");
  };
  const start = async () => {
    const options = ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1"];
    const sockets = ["-c", `unix_socket_directories=${data}`];
    // Unsafe only if the machine crashes, but tests kill only the server.
    const unflushed = isDurable ? [] : ["-c", "fsync=off", "-c", "full_page_writes=off"];
    const one = spawn(join(programs, "postgres"), [...options, ...sockets, ...unflushed], {
      stdio: ["ignore", "ignore", "pipe"],
      cwd: data,
      ...ids,
    });
    running = one;
    let output = "";
    await new Promise((resolve, reject) => {
      one.stderr.on("data", (chunk) => {
        log += chunk.toString();
        output = (output + chunk.toString()).slice(-10_000);
        if (output.includes("ready to accept connections")) resolve();
      });
      one.once("exit", () => reject(new Error(`PostgreSQL ended:\n${output}`)));
    });
  };
  const cleaner = startCleaner(folder);
  await start();
  return {
    port,
    folder,
    user,
    url: (schema, further = "") =>
      `postgres://${user}@127.0.0.1:${port}/postgres?schema=${schema}${further}`,
    crash: () => end("SIGQUIT"),
    start,
    stop: async () => {
      await end("SIGINT");
      cleaner.stdin.end();
    },
    pid: () => running?.pid,
    log: () => log,
    configure: (lines) => appendFile(join(data, "postgresql.conf"), `\n${lines.join("\n")}\n`),
    admit: (lines) => writeFile(join(data, "pg_hba.conf"), `${lines.join("\n")}\n`),
  };
}
