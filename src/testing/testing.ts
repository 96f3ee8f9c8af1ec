import { env } from "node:process";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import { isObject } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { nearest } from "../core/text.ts";
import { elapsed, parseDuration } from "../core/time.ts";
import { createEmbedded, type Embedded } from "../engine/embedded.ts";
import { openEmptyStore } from "../engine/sqlite/store.ts";
import { createControl, readFaults } from "../server/control/control.ts";
import { createRecording } from "../server/control/recording.ts";
import type { InjectedFault } from "../server/faults.ts";
import { startServing } from "../server/serve.ts";
import { errorIn, isPath, textOf } from "./objects.ts";
import type { TestService } from "./public.d.ts";

export { SendctlError };

/** How a service for tests begins and behaves: public.d.ts has what callers pass. */
interface Start {
  readonly seed: unknown;
  readonly behaviour: PartialBehaviour;
  readonly faults: readonly InjectedFault[];
  readonly rateLimit: number | undefined;
  /** Milliseconds. */
  readonly autoApproveAfter: number | undefined;
  readonly key: string | undefined;
}

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
    seed?.kind === "backup"
      ? await seeds!.openBackup(seed.file, now)
      : openEmptyStore(":memory:", now);
  const engine = createEmbedded(store, now, options.behaviour);
  try {
    if (seed?.kind === "manifest") await seeds!.fill(engine, seed, now());
    return await serve(engine, options);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function serve(
  engine: Embedded,
  { faults, rateLimit, autoApproveAfter, key: given }: Start,
): Promise<TestService> {
  const created = await engine.administration.createKey("default", given);
  const { secret_key: key } = created.envelope!.data as { readonly secret_key: string };
  const restore = await engine.snapshot!();
  const recording = createRecording();
  const host = "127.0.0.1";
  let defect: string | undefined;
  const serving = await startServing(
    engine,
    {
      host,
      port: 0,
      rateLimit,
      faults,
      autoApproveAfter,
      served: () => {},
      givenKey: given,
      record: recording.begin,
    },
    { elapsed, printError: async (text) => void (defect ??= text) },
  );
  const control = createControl(serving, engine, restore, recording);
  const url = `http://${host}:${serving.port}`;
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
    reset: async (only = {}) => whileOpen(() => control.reset(integrationOf(only))),
    requests: control.requests,
    faults: (specifications) => control.faults(listOfTexts(specifications)),
    review: (name, status) => whileOpen(() => control.review(nameOf(name), status)),
    integration: (name) => whileOpen(() => control.integration(name)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The options, and how each is read. A function throws for a value that it does not accept. */
const readers = {
  seed: (value: unknown) => value,
  behaviour: readBehaviour,
  faults: (value: unknown = []) => readFaults(listOfTexts(value)),
  rateLimit: (value: unknown) => {
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) {
      return value as number | undefined;
    }
    throw wrong("rateLimit", "must be a whole number from 1: requests per second for each key");
  },
  autoApproveAfter: (value: unknown) => {
    if (value === undefined) return undefined;
    const milliseconds = typeof value !== "string" ? undefined : durationOf(value);
    if (milliseconds !== undefined) return milliseconds;
    throw wrong("autoApproveAfter", "must be a duration, like 500ms or 5s; 0s for at once");
  },
  key: (value: unknown) => {
    if (value === undefined || (typeof value === "string" && /^[\x21-\x7e]{16,}$/.test(value))) {
      return value;
    }
    // The message does not repeat a key.
    throw wrong("key", "must be a string of 16 or more visible ASCII characters");
  },
};

function listOfTexts(value: unknown): readonly string[] {
  // A list with a gap: `every` would pass over it.
  const given: readonly unknown[] | undefined = Array.isArray(value) ? [...value] : undefined;
  if (given?.every((one) => typeof one === "string") === true) return given;
  throw wrong("faults", 'must be a list of texts, like ["group.create:status=503"]');
}

function nameOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw wrong("name", "must be the name of a sender ID");
}

/** Returns the only integration to reset; undefined for everything. */
function integrationOf(only: unknown): string | undefined {
  const { integration, ...others } = isObject(only) ? only : { options: only };
  const [field] = Object.keys(others);
  if (field !== undefined) {
    throw new SendctlError("usage", "reset takes { integration } or nothing", { field });
  }
  if (typeof integration === "string") return integration;
  // An undefined name is a mistake of the caller, who did not mean everything.
  if (!isObject(only) || !Object.hasOwn(only, "integration")) return undefined;
  throw wrong("integration", "must be the name of an integration");
}

function durationOf(text: string): number | undefined {
  return /^0(?:ms|s|m|h)$/.test(text) ? 0 : parseDuration(text);
}

async function readOptions(given: unknown): Promise<Start> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new SendctlError("usage", "startService takes an object of options", {
      field: "options",
    });
  }
  const values = given as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(readers, name)) continue;
    const near = nearest(name, Object.keys(readers));
    throw new SendctlError("usage", `unknown option "${name}"`, {
      field: name,
      hint: near === undefined ? `use ${Object.keys(readers).join(", ")}` : `did you mean ${near}?`,
    });
  }
  return {
    seed: values["seed"],
    behaviour: await readers.behaviour(values["behaviour"]),
    faults: readers.faults(values["faults"]),
    rateLimit: readers.rateLimit(values["rateLimit"]),
    autoApproveAfter: readers.autoApproveAfter(values["autoApproveAfter"]),
    key: readers.key(values["key"]),
  };
}

/** Reads a behaviour: an object of switches, or the path of a behaviour file. */
async function readBehaviour(value: unknown): Promise<PartialBehaviour> {
  if (value === undefined) return {};
  const { readBehaviour: parse, readBehaviourFile } = await import("../probe/behaviour-file.ts");
  if (!isObject(value) && !isPath(value)) {
    throw wrong("behaviour", "must be an object of switches, or the path of a behaviour file");
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
    throw new SendctlError("usage", error.message, { hint: error.hint, field: "behaviour" });
  }
}

function wrong(field: string, rule: string): SendctlError {
  return new SendctlError("usage", `${field} ${rule}`, { field });
}
