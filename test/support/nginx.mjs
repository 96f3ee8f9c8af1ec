/** Runs nginx with docs/deploy/nginx.conf. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { freePort } from "./ports.mjs";

/** Debian has it in a folder that is in the PATH of root only. */
const program = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"]
  .map((folder) => join(folder, "nginx"))
  .find((file) => existsSync(file));

/** Why nginx cannot be started; undefined if it can. */
export const whyNoNginx = program === undefined ? "nginx is not installed" : undefined;

/** Returns the documented configuration with other ports. @param ports the two servers, and nginx's own */
function configuration(ports) {
  const file = join(import.meta.dirname, "../../docs/deploy/nginx.conf");
  const documented = readFileSync(file, "utf8");
  const others = { 4010: ports[0], 4011: ports[1], 8080: `127.0.0.1:${ports[2]}` };
  return documented.replaceAll(/\b(?:4010|4011|8080)\b/g, (port) => others[port]);
}

export async function startNginx(folder, ports) {
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/nginx-${name};`,
  );
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
     ${process.getuid() === 0 ? "user root;" : ""}
     events { worker_connections 4096; }
     http { access_log off; ${temporary.join(" ")}\n${configuration([...ports, port])} }`,
  );
  const child = spawn(program, ["-c", file, "-e", `${folder}/nginx.log`], { stdio: "inherit" });
  const kill = () => child.kill("SIGTERM");
  process.once("exit", kill);
  for (let tries = 0; ; tries += 1) {
    try {
      await fetch(`http://127.0.0.1:${port}/healthz`);
      break;
    } catch (error) {
      if (tries > 100 || child.exitCode !== null) throw error;
      await setTimeout(50);
    }
  }
  return {
    port,
    stop: async () => {
      process.removeListener("exit", kill);
      kill();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
