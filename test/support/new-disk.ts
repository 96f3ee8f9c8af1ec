import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

/** Runs a command that may mount disks: Linux lets any user do so where user namespaces are allowed. */
export const newDisk = "unshare --user --map-root-user --mount";

/** Whether a tmpfs can be mounted. */
export const canMount =
  spawnSync("/bin/sh", ["-c", `${newDisk} mount -t tmpfs none ${tmpdir()}`]).status === 0;
