import { env } from "node:process";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import { isObject } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { nearest } from "../core/text.ts";
import { elapsed, parseDuration } from "../core/time.ts";
import { createEmbedded, type Embedded } from "../engine/embedded.ts";
import { openMemoryStore } from "../engine/sqlite/store.ts";
import { createControl, invalid, readFaults } from "../server/control/control.ts";
import { createRecording } from "../server/control/recording.ts";
import { startServing } from "../server/serve.ts";
import type { CheckedTls } from "../core/certificate.ts";
import { errorIn, isPath, textOf } from "./objects.ts";
import type { TestService } from "./public.d.ts";

export { SendctlError };

/** Returns microseconds since 1970. */
function now(): number {
  return Date.now() * 1000;
}

/**
 * Starts the service in this process: the engine that `sendctl serve` serves, on a database in memory and a free port of
 * 127.0.0.1. Touches nothing else of the process: no signals, no output, no files.
 *
 * @throws SendctlError "usage" with the field of an invalid option
 */
export async function startService(given: unknown = {}): Promise<TestService> {
  const options = await readOptions(given);
  // Loaded on demand, because the reader of manifests takes longer to load than everything else.
  const seeds = options.seed === undefined ? undefined : await import("./seed.ts");
  const seed = await seeds?.readSeed(options.seed, env);
  const store =
    seed?.kind === "backup" ? await seeds!.openBackup(seed.file, now) : openMemoryStore(now);
  const engine = createEmbedded(store, now, options.behaviour);
  try {
    if (seed?.kind === "manifest") await seeds!.fill(engine, seed);
    return await serve(engine, options);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function serve(
  engine: Embedded,
  options: Awaited<ReturnType<typeof readOptions>>,
): Promise<TestService> {
  const { key: givenKey } = options;
  const created = await engine.administration.createKey("default", givenKey);
  const { secret_key: key } = created.envelope!.data as { readonly secret_key: string };
  const restore = await engine.snapshot!();
  const recording = createRecording();
  const host = "127.0.0.1";
  let defect: string | undefined;
  const serving = await startServing(
    engine,
    { ...options, host, port: 0, served: () => {}, givenKey, record: recording.begin },
    { elapsed, printError: async (text) => void (defect ??= text) },
  );
  const control = createControl(serving, engine, restore, recording);
  const { tls } = options;
  const isForName = tls !== undefined && !tls.isFor(host) && tls.isFor("localhost");
  const url = `${tls === undefined ? "http" : "https"}://${isForName ? "localhost" : host}:${serving.port}`;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      serving.abort();
      await serving.stop();
      await engine.close();
      if (defect !== undefined) throw new SendctlError("defect", defect.trim());
    })());
  /** Carries out a call. @throws SendctlError "usage" if the service is closed by then */
  const whileOpen = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    try {
      return await call();
    } catch (error) {
      if (closing === undefined || error instanceof SendctlError) throw error;
      throw new SendctlError("usage", "the service is closed", { cause: error });
    }
  };
  return {
    url,
    key,
    env: { SENDCTL_BASE_URL: url, SENDCTL_SECRET_KEY: key },
    reset: async (only: unknown = {}) => {
      if (!isObject(only)) throw invalid("options", "reset takes { integration } or nothing");
      await whileOpen(() => control.reset(only));
    },
    requests: control.requests,
    faults: control.faults,
    review: (name, status) => whileOpen(() => control.review({ name, status })),
    integration: async (name) => (await whileOpen(() => control.integration({ name }))).key,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const optionNames = ["seed", "behaviour", "faults", "rateLimit", "autoApproveAfter", "key", "tls"];

/** Reads the options of `startService`: public.d.ts describes them. @throws SendctlError "usage" with the field */
async function readOptions(given: unknown) {
  if (!isObject(given)) throw invalid("options", "startService takes an object of options");
  for (const name of Object.keys(given)) {
    if (optionNames.includes(name)) continue;
    const near = nearest(name, optionNames);
    const hint = near === undefined ? `use ${optionNames.join(", ")}` : `did you mean ${near}?`;
    throw invalid(name, `unknown option "${name}"`, hint);
  }
  const { seed, behaviour, faults = [], rateLimit, autoApproveAfter, key, tls } = given;
  if (rateLimit !== undefined && !(Number.isSafeInteger(rateLimit) && Number(rateLimit) > 0)) {
    const unit = "requests per second for each key";
    throw invalid("rateLimit", `rateLimit must be a whole number from 1: ${unit}`);
  }
  const delay = autoApproveAfter === undefined ? undefined : durationOf(autoApproveAfter);
  if (autoApproveAfter !== undefined && delay === undefined) {
    const example = "like 500ms or 5s; 0s for at once";
    throw invalid("autoApproveAfter", `autoApproveAfter must be a duration, ${example}`);
  }
  if (key !== undefined && !(typeof key === "string" && /^[\x21-\x7e]{16,}$/.test(key))) {
    // The message does not repeat a key.
    throw invalid("key", "key must be a string of 16 or more visible ASCII characters");
  }
  return {
    seed,
    behaviour: await readBehaviour(behaviour),
    faults: readFaults(faults),
    rateLimit: rateLimit as number | undefined,
    autoApproveAfter: delay,
    key,
    tls: tls === undefined ? undefined : await readTls(tls),
  };
}

/** Reads a certificate and its key. @throws SendctlError "usage" with the field */
async function readTls(tls: unknown): Promise<CheckedTls> {
  const pem = (field: "cert" | "key"): string => {
    const value = isObject(tls) ? tls[field] : undefined;
    if (typeof value === "string") return value;
    if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
    throw invalid(`tls.${field}`, `tls.${field} must be a string or a Buffer in PEM`);
  };
  const { checkTls } = await import("../core/certificate.ts");
  const names = { cert: "tls.cert", key: "tls.key" };
  try {
    return checkTls({ cert: pem("cert"), key: pem("key") }, names, Date.now());
  } catch (error) {
    if (!(error instanceof SendctlError) || error.field !== undefined) throw error;
    const field = error.setting === "key" ? names.key : names.cert;
    throw invalid(field, error.message, error.hint);
  }
}

/** Returns a duration in milliseconds, which may be 0; undefined for any other value. */
function durationOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  return /^0(?:ms|s|m|h)$/.test(value) ? 0 : parseDuration(value);
}

/** Reads a behaviour: an object of switches, or the path of a behaviour file. */
async function readBehaviour(value: unknown): Promise<PartialBehaviour> {
  if (value === undefined) return {};
  const { readBehaviour: parse, readBehaviourFile } = await import("../probe/behaviour-file.ts");
  if (!isObject(value) && !isPath(value)) {
    throw invalid(
      "behaviour",
      "behaviour must be an object of switches, or the path of a behaviour file",
    );
  }
  const text = isPath(value) ? undefined : textOf(value, "behaviour");
  try {
    return text === undefined
      ? await readBehaviourFile(value as string, "", async () => new Uint8Array())
      : parse(Buffer.from(text), "behaviour");
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    const [first, ...others] = error.diagnostics ?? [];
    if (first !== undefined) throw errorIn(first, "behaviour", text, others.length);
    throw invalid("behaviour", error.message, error.hint);
  }
}
