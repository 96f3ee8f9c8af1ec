// Prints the Homebrew formula of this version: node release/formula.mjs SHA256SUMS REPOSITORY
// REPOSITORY: its address, such as https://github.com/OWNER/sendctl.
import { argv, stdout } from "node:process";
import { argumentsOf, downloadOf, license, readChecksums, version } from "./facts.mjs";

const [file, repository] = argumentsOf(argv, "node release/formula.mjs SHA256SUMS REPOSITORY", 2);
const checksums = readChecksums(file);

/** Returns the lines of a block for one kind of processor. */
function source(name, target) {
  const { url, sha256 } = downloadOf(checksums, repository, target);
  return `    ${name} do\n      url "${url}"\n      sha256 "${sha256}"\n    end\n`;
}

/** Returns the lines of a block for one system. */
function system(name, target) {
  return `  ${name} do\n${source("on_arm", `${target}-arm64`)}${source("on_intel", `${target}-x64`)}  end\n`;
}

stdout.write(`class Sendctl < Formula
  desc "Manage the sender IDs and groups of a bulk-SMS service"
  homepage "${repository}"
  version "${version}"
  license "${license}"

${system("on_macos", "macos")}
${system("on_linux", "linux")}
  def install
    bin.install "sendctl"
    prefix.install "LICENSE", "NODE-LICENSE.txt", "THIRD-PARTY-LICENSES.txt"
    generate_completions_from_executable(bin/"sendctl", "completion")
  end

  test do
    system bin/"sendctl", "group", "create", "Customers"
    assert_match "Customers", shell_output("#{bin}/sendctl group list")
  end
end
`);
