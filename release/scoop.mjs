// Prints the Scoop manifest of this version: node release/scoop.mjs SHA256SUMS REPOSITORY
// REPOSITORY: its address, such as https://github.com/OWNER/sendctl.
import { argv, stdout } from "node:process";
import {
  archiveFolder,
  argumentsOf,
  downloadOf,
  license,
  readChecksums,
  version,
} from "./facts.mjs";

const [file, repository] = argumentsOf(argv, "node release/scoop.mjs SHA256SUMS REPOSITORY", 2);
const { url, sha256 } = downloadOf(readChecksums(file), repository, "windows-x64");
const releases = `${repository}/releases/download/v$version`;

const manifest = {
  version,
  description: "Manage the sender IDs and groups of a bulk-SMS service",
  homepage: repository,
  license,
  architecture: {
    "64bit": { url, hash: sha256, extract_dir: archiveFolder("windows-x64") },
  },
  bin: "sendctl.exe",
  checkver: { github: repository },
  autoupdate: {
    architecture: {
      "64bit": {
        url: `${releases}/${archiveFolder("windows-x64", "$version")}.zip`,
        extract_dir: archiveFolder("windows-x64", "$version"),
      },
    },
    hash: { url: `${releases}/SHA256SUMS` },
  },
};

stdout.write(`${JSON.stringify(manifest, undefined, 2)}\n`);
