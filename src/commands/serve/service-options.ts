import type { Session } from "../../command/session.ts";
import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { SendctlError } from "../../core/error.ts";
import { flag, repeated, text, type Values } from "../../command/define-command.ts";
import { pemText, readFileUpTo, isSqliteFile } from "../../core/files.ts";
import { safeText } from "../../core/text.ts";
import type { Tls } from "../../core/certificate.ts";
import { durationOf, emptyValue, missing, wholeNumber } from "../../command/arguments.ts";
import { throwingRefusals } from "../../service/refusals.ts";
import type { Embedded } from "../../engine/embedded.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";

/** The options of every command that serves, for how the service behaves and what it logs. */
export const behaviourOptions = {
  behaviour: text("--behaviour <file>", "behaviour file (default: the engine's own behaviour)", {
    takes: "file",
  }),
  rateLimit: text("--rate-limit <n>", "requests per second for each key (default: unlimited)"),
  autoApproveAfter: text(
    "--auto-approve-after <duration>",
    "delay until a sender ID is approved, like 5s; 0s for at once (default: never)",
  ),
  fault: repeated(
    "--fault <specification>",
    "fault to inject, repeatable; see `sendctl help faults`",
    { takes: "fault" },
  ),
  logBodies: flag("--log-bodies", "also log bodies, up to 8 KiB each; never the key"),
};

/** The options of `serve --temporary` and `local run` that a test suite needs. */
export const suiteOptions = {
  seed: repeated("--seed <file>", "initial records: manifests, or a backup", { takes: "file" }),
  control: flag("--control", "let tests control it: SENDCTL_CONTROL_URL"),
  inspect: flag("--inspect", "a page to look at its requests and records, with --control"),
};

/** The options for HTTPS. */
export const tlsOptions = {
  tlsCert: text("--tls-cert <file>", "serve HTTPS with this certificate, in PEM", {
    takes: "file",
  }),
  tlsKey: text("--tls-key <file>", "the private key of the certificate, in PEM", {
    takes: "file",
  }),
};

/** What a service needs for HTTPS, and its clients. */
export interface Https extends Tls {
  /** The host in its base URL, for which the certificate is. */
  readonly host: string;
  /** The file that clients must trust; undefined for the certificate of a known authority. */
  readonly trusted: string | undefined;
  /** The authorities that the user trusts already, in PEM; empty for none. */
  readonly known: string;
}

/**
 * Reads the certificate and key; undefined for HTTP. Warns if it is for another host.
 *
 * @param host of the base URL
 * @throws SendctlError "usage" for files that cannot be used
 */
export async function readTls(
  { tlsCert: certFile, tlsKey: keyFile }: Values<typeof tlsOptions>,
  host: string,
  { input, output, clock, processes }: Pick<Session, "input" | "output" | "clock" | "processes">,
): Promise<Https | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (!certFile) throw missing("--tls-cert FILE", "pass the certificate with its key");
  if (!keyFile) throw missing("--tls-key FILE", "pass the private key with its certificate");
  const read = async (name: string): Promise<string> =>
    pemText(await readFileUpTo(name, input.path(name), maxPemBytes));
  const { checkTls } = await import("../../core/certificate.ts");
  const given = { cert: await read(certFile), key: await read(keyFile) };
  const names = { cert: `--tls-cert ${certFile}`, key: `--tls-key ${keyFile}` };
  const checked = checkTls(given, names, clock.now());
  const { cert, key, isFor, hosts, isKnown, problems, missingAuthority } = checked;
  for (const problem of problems) {
    await output.warn(safeText(`the certificate ${problem}: clients may refuse it`));
  }
  // A certificate for the name of this machine is as good as one for its address.
  const hostNames = host.startsWith("127.") || host === "::1" ? [host, "localhost"] : [host];
  const accepted = hostNames.find(isFor);
  if (accepted === undefined) {
    await output.warn(
      safeText(`the certificate is for ${hosts}, not for ${host}: clients refuse it`),
    );
  }
  const extra = processes.env["NODE_EXTRA_CA_CERTS"];
  const known = extra === undefined ? "" : await read(extra).catch(() => "");
  const isTrusted = isKnown("") || isKnown(known);
  if (!isTrusted && missingAuthority !== undefined) {
    const authority = `its authority, ${missingAuthority}`;
    await output.warn(
      safeText(
        `clients trust the certificate only with that of ${authority}: add that to ${certFile}, or set NODE_EXTRA_CA_CERTS to its file`,
      ),
    );
  }
  const own = missingAuthority === undefined ? input.path(certFile) : undefined;
  const trusted = isKnown("") ? undefined : isKnown(known) ? extra : own;
  return { cert, key, host: accepted ?? host, trusted, known };
}

/** In bytes: a certificate with its chain is a hundredth of it. */
const maxPemBytes = 1024 * 1024;

/** Reads the behaviour options. @throws SendctlError "usage" for an invalid value or file */
export async function behaviourOf(
  options: Values<typeof behaviourOptions>,
  context: Pick<Session, "input" | "local">,
) {
  const { behaviour: file } = options;
  if (file === "") throw emptyValue("--behaviour", "pass a behaviour file");
  return {
    /** Undefined for the engine's own. */
    behaviour: file === undefined ? undefined : await context.input.behaviour(file),
    rateLimit: wholeNumber(options.rateLimit, "--rate-limit", 1),
    faults: await context.local.faults(options.fault),
    autoApproveAfter: durationOf(options.autoApproveAfter, "--auto-approve-after", 0),
    logsBodies: options.logBodies,
  };
}

/** Prints how much the behaviour of a file differs from the engine's own. */
export async function announceBehaviour(
  { output }: Pick<Session, "output">,
  file: string | undefined,
  changed: PartialBehaviour,
): Promise<void> {
  if (file === undefined) return;
  const count = Object.keys(changed).length;
  const differ = count === 1 ? "1 switch differs" : `${count === 0 ? "no" : count} switches differ`;
  await output.say(safeText(`Behaviour of ${file}: ${differ} from the engine's own`));
}

/**
 * Refuses options that only a temporary service has: what they do would last.
 *
 * @throws SendctlError "usage"
 */
export function refuseLasting({
  temporary,
  seed,
  control,
  inspect,
  keyFromEnv,
}: Values<typeof suiteOptions> & Readonly<Record<"temporary" | "keyFromEnv", boolean>>): void {
  if (temporary) return;
  const given = {
    "--seed": seed.length > 0,
    "--control": control,
    "--inspect": inspect,
    "--key-from-env": keyFromEnv,
  };
  for (const [option, isGiven] of Object.entries(given)) {
    if (!isGiven) continue;
    throw new SendctlError("usage", `${option} requires --temporary`, {
      hint: "add --temporary, which serves a database that is deleted at the end",
      field: option,
    });
  }
}

/** Returns the key of `--key-from-env`. @throws SendctlError "usage", which omits the key */
export function givenKey(key: string | undefined): string {
  if (key !== undefined && /^[\x21-\x7e]{16,}$/.test(key)) return key;
  const problem = key === undefined || key === "" ? "is not set" : "is not a key for a service";
  throw new SendctlError("usage", `--key-from-env: SENDCTL_SECRET_KEY ${problem}`, {
    hint: "set it to 16 visible ASCII characters or more",
    field: "SENDCTL_SECRET_KEY",
  });
}

/** Returns a port to listen on, if given. @throws SendctlError "usage" */
export function portOf(port: string | undefined): number | undefined {
  return wholeNumber(port, "--port", 0, 65_535);
}

const desiredState = () => import("../manifest/desired-state.ts");

/** The first records of a temporary service: those of manifests or of a backup, or none. */
interface Seed {
  readonly manifest?: Manifest;
  /** Path. */
  readonly backup?: string;
}

/**
 * Reads the files of `--seed`.
 *
 * @throws SendctlError "usage" for an invalid manifest, an unreadable file, a backup among others
 */
export async function readSeed(context: Session, files: readonly string[]): Promise<Seed> {
  const [first] = files;
  if (first === undefined) return {};
  const backup = files.find((file) => isSqliteFile(context.input.path(file)));
  if (backup === undefined) {
    return { manifest: await (await desiredState()).readManifest(context, files) };
  }
  if (files.length === 1) return { backup };
  throw new SendctlError("usage", `--seed ${backup} is a backup, which has all records`, {
    hint: "pass it alone, or pass manifests only",
  });
}

/**
 * Creates the records of a seed in an empty service. Those of a backup are there already.
 *
 * @param step called after each record; an error that it throws stops the work
 * @returns the exit code; failures have been reported
 */
export async function fillFrom(
  context: Session,
  engine: Embedded,
  { manifest }: Seed,
  step: () => void,
): Promise<ExitCode> {
  if (manifest === undefined) return exitCodes.done;
  const { fillService } = await desiredState();
  const service = throwingRefusals(engine.firstService());
  return fillService(context, service, manifest, step);
}
