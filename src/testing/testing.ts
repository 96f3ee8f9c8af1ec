import { resolve } from "node:path";
import { env } from "node:process";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import { isObject, type Page } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { pemText } from "../core/files.ts";
import { readNamedFile } from "../core/own-file.ts";
import { nearest } from "../core/text.ts";
import { elapsed, parseDuration } from "../core/time.ts";
import { createEmbedded, type Embedded } from "../engine/embedded.ts";
import { openMemoryStore } from "../engine/sqlite/store.ts";
import type { Store } from "../engine/store/store.ts";
import {
  createControl,
  invalid,
  readFaults,
  unknownIntegration,
} from "../server/control/control.ts";
import { createRecording, maxRequests } from "../server/control/recording.ts";
import { startServing } from "../server/serve.ts";
import { readSeedObject } from "./seed-object.ts";
import type { CheckedTls } from "../core/certificate.ts";
import type { RecordedRequest, TestService } from "./public.d.ts";

export { SendctlError };

/** Returns microseconds since 1970. */
function now(): number {
  return Date.now() * 1000;
}

/**
 * Starts the service in this process: the engine that `sendctl serve` serves, on a database in
 * memory and a free port of 127.0.0.1. Touches nothing else of the process: no signals, no output,
 * no files.
 *
 * @throws SendctlError "usage" with the field of an invalid option
 */
export async function startService(given: unknown = {}): Promise<TestService> {
  const options = await readOptions(given);
  const { store = openMemoryStore(now), fill } = await readSeed(options.seed);
  const engine = createEmbedded(store, now, options.behaviour);
  try {
    await fill?.(engine);
    return await serve(engine, options);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** The records that a service begins with. */
interface Beginning {
  /** What has them. */
  readonly store?: Store;
  /** Adds them. */
  readonly fill?: (engine: Embedded) => Promise<void>;
}

/**
 * Reads a seed: an object, or the path of a manifest or of a backup.
 *
 * @throws SendctlError "usage" with the field that is wrong
 */
async function readSeed(seed: unknown): Promise<Beginning> {
  if (seed === undefined) return {};
  if (typeof seed === "object" && seed !== null) {
    return { fill: await readObject(seed) };
  }
  if (!isPath(seed)) {
    const hint = 'pass { groups: [{ name: "Customers" }] }, a manifest or a backup';
    throw invalid("seed", "seed must be an object or a path", hint);
  }
  // Loaded on demand, because the reader of manifests takes longer to load than everything else.
  const seeds = await import("./seed.ts");
  const found = await seeds.readSeedFile(seed, env);
  if (typeof found === "string") return { store: await seeds.openBackup(found, now) };
  return { fill: (engine) => seeds.fill(engine, found) };
}

/** Reads a seed object, with variables as in a manifest. @throws SendctlError "usage" */
async function readObject(seed: object) {
  const text = jsonOf(seed);
  const copy: unknown = JSON.parse(text);
  if (!text.includes("${")) return readSeedObject(copy);
  const { expand } = await import("../manifest/variables.ts");
  const expanded = (value: unknown, field: string): unknown => {
    if (Array.isArray(value)) return value.map((item, at) => expanded(item, `${field}[${at}]`));
    if (isObject(value)) {
      const entries = Object.entries(value);
      return Object.fromEntries(
        entries.map(([name, of]) => [name, expanded(of, `${field}.${name}`)]),
      );
    }
    if (typeof value !== "string") return value;
    const result = expand(value, { env }, Infinity);
    if ("text" in result) return result.text;
    throw invalid(field, `${field}: ${result.messages.join("; ")}`);
  };
  return readSeedObject(expanded(copy, "seed"));
}

/** Returns the JSON of a seed. @throws SendctlError "usage" for what JSON has no text for */
function jsonOf(seed: object): string {
  try {
    // Undefined if its toJSON returns nothing.
    return JSON.stringify(seed) ?? "null";
  } catch (error) {
    // V8 draws a circular structure on further lines.
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
    throw invalid("seed", `seed cannot be written as JSON: ${reason}`);
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
    {
      ...options,
      host,
      port: 0,
      served: () => {},
      givenKey,
      record: recording.begin,
      isCurrent: true,
    },
    { elapsed, printError: async (text) => void (defect ??= text) },
  );
  const control = createControl(serving, engine, restore, recording);
  const { tls } = options;
  const isForName = tls !== undefined && !tls.isFor(host) && tls.isFor("localhost");
  const url = `${tls === undefined ? "http" : "https"}://${isForName ? "localhost" : host}:${serving.port}`;
  const names = new Set(await integrationNames(engine));
  /** Returns the integration that a call is about. @throws SendctlError "usage" */
  const integrationIn = (options: unknown = {}): string | undefined => {
    if (!isObject(options)) throw invalid("options", "options must be { integration } or nothing");
    const unknown = Object.keys(options).find((name) => name !== "integration");
    if (unknown !== undefined) throw invalid(unknown, `unknown option ${unknown}; use integration`);
    const { integration } = options;
    if (integration === undefined) return undefined;
    if (typeof integration !== "string") {
      throw invalid("integration", "integration must be a string");
    }
    if (names.has(integration)) return integration;
    throw unknownIntegration(integration);
  };
  let closing: Promise<void> | undefined;
  const ends: (() => void)[] = [];
  /** Resolves once a number of requests have arrived. */
  const received = (count: number, integration?: string) =>
    new Promise<readonly RecordedRequest[]>((resolve, reject) => {
      const check = (): void => {
        const requests = control.requests(integration);
        if (requests.length < count) return;
        end();
        resolve(requests);
      };
      const end = control.follow(check);
      ends.push(() => reject(new SendctlError("usage", "the service is closed")));
      check();
    });
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      for (const end of ends) end();
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
    requests: (options) => control.requests(integrationIn(options)),
    received: async (count, options) => {
      if (!Number.isInteger(count) || count < 0 || count > maxRequests) {
        throw invalid("count", `count must be a whole number from 0 to ${maxRequests}`);
      }
      if (closing !== undefined) throw new SendctlError("usage", "the service is closed");
      return received(count, integrationIn(options));
    },
    faults: (specifications, options) =>
      control.faults(specifications, integrationIn(options), readBody),
    review: (name, status, options = {}) =>
      whileOpen(() => control.review({ ...options, name, status })),
    integration: async (name) => {
      const { key } = await whileOpen(() => control.integration({ name }));
      names.add(name);
      return key;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Reads the file of a fault. @throws SendctlError "usage" */
function readBody(file: string): string {
  return readNamedFile(file, resolve(file));
}

async function integrationNames({ administration }: Embedded): Promise<readonly string[]> {
  const { envelope } = await administration.listIntegrations();
  return (envelope!.data as Page<{ readonly name: string }>).data.map(({ name }) => name);
}

const optionNames = ["seed", "behaviour", "faults", "rateLimit", "autoApproveAfter", "key", "tls"];

/** Reads the options of `startService` (public.d.ts). @throws SendctlError "usage" */
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
    faults: readFaults(faults, readBody),
    rateLimit: rateLimit as number | undefined,
    autoApproveAfter: delay,
    key,
    tls: tls === undefined ? undefined : await readTls(tls),
  };
}

/** Reads a certificate and its key. @throws SendctlError "usage" with the field */
async function readTls(tls: unknown): Promise<CheckedTls> {
  const fields = isObject(tls) ? Object.keys(tls) : [];
  const unknown = fields.find((field) => !["cert", "key"].includes(field));
  if (unknown !== undefined) throw invalid(`tls.${unknown}`, "tls has only cert and key");
  const pem = (field: "cert" | "key"): string => {
    const value = isObject(tls) ? tls[field] : undefined;
    if (typeof value === "string") return pemText(Buffer.from(value));
    if (value instanceof Uint8Array) return pemText(value);
    throw invalid(`tls.${field}`, `tls.${field} must be a string or a Buffer in PEM`);
  };
  const { checkTls } = await import("../core/certificate.ts");
  const names = { cert: "tls.cert", key: "tls.key" };
  return checkTls({ cert: pem("cert"), key: pem("key") }, names, Date.now());
}

/** Returns a duration in milliseconds, which may be 0; undefined for any other value. */
function durationOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  return /^0(?:ms|s|m|h)$/.test(value) ? 0 : parseDuration(value);
}

/** Reads a behaviour: an object of switches, or the path of a behaviour file. */
async function readBehaviour(value: unknown): Promise<PartialBehaviour> {
  if (value === undefined) return {};
  if (isObject(value)) {
    const { checkSwitches } = await import("../contract/behaviour.ts");
    return checkSwitches(value, (name, problem) => {
      const field = `behaviour.${name}`;
      return invalid(field, `${field} ${problem}`);
    });
  }
  if (!isPath(value)) {
    const right = "an object of switches, or the path of a behaviour file";
    throw invalid("behaviour", `behaviour must be ${right}`);
  }
  const { readBehaviourFile } = await import("../probe/behaviour-file.ts");
  try {
    return await readBehaviourFile(value, "", async () => new Uint8Array());
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    const { errorIn } = await import("./seed.ts");
    throw error.details.diagnostics === undefined
      ? invalid("behaviour", error.message, error.hint)
      : errorIn(error.details.diagnostics, "behaviour");
  }
}

/** Returns whether a value names a file. `-`, standard input, belongs to the test runner. */
function isPath(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value !== "-";
}
