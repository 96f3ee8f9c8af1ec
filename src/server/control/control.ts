import { reviewStatuses } from "../../engine/rules/rulings.ts";
import { nameError } from "../../engine/rules/validation.ts";
import type { Embedded } from "../../engine/embedded.ts";
import { defaultIntegrationName } from "../../engine/store/stored.ts";
import type { RestoreSnapshot } from "../../engine/store/store.ts";
import { SendctlError } from "../../core/error.ts";
import { orList } from "../../core/text.ts";
import { succeeded } from "../../contract/service.ts";
import { readFault } from "../faults.ts";
import type { Serving } from "../serve.ts";
import type { Recording } from "./recording.ts";

/** What a test suite does to a service. Values are unvalidated; a refused call changes nothing. */
export type Control = ReturnType<typeof createControl>;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a list of faults as `--fault` takes them.
 *
 * @param readBody reads the file of `body=@FILE` (default: none is read)
 * @throws SendctlError "usage" with the field `faults[0]`
 */
export function readFaults(given: unknown, readBody?: (file: string) => string) {
  // `every` would pass over the gaps of an array, which a copy of it does not have.
  if (!Array.isArray(given) || ![...given].every((text) => typeof text === "string")) {
    const example = 'like ["group.create:status=503"]';
    throw invalid("faults", `faults must be an array of strings, ${example}`);
  }
  return given.map((specification: string, index) => {
    const name = `faults[${index}]`;
    try {
      return readFault(specification, { name, readBody });
    } catch (error) {
      if (!(error instanceof SendctlError)) throw error;
      throw invalid(name, error.message, error.hint);
    }
  });
}

/**
 * Controls a service that serves a temporary database.
 *
 * @param restore restores the records that the service began with
 */
export function createControl(
  serving: Pick<Serving, "faults" | "resetRateLimit">,
  engine: Embedded,
  restore: RestoreSnapshot,
  recording: Recording,
) {
  const integrationNamed = async (name: string) => {
    const found = await engine.integrationNamed(name);
    if (found !== undefined) return found;
    throw unknownIntegration(name);
  };
  return {
    ...recording,
    /**
     * Restores the records and ids that the service began with, and forgets requests, faults and
     * counts of the rate limit. Keys stay, and integrations that were created since are empty.
     *
     * @param given may have `integration`, to empty only that and forget its requests and faults
     * @throws SendctlError "usage" with the field, also if it is undefined: that does not mean all
     */
    reset: async (given: Fields): Promise<void> => {
      const isWhole = Object.keys(given).length === 0;
      const integration = isWhole ? undefined : textsIn(given, ["integration"]).integration;
      if (!(await restore(integration))) throw unknownIntegration(integration!);
      recording.clear(integration);
      if (integration !== undefined) return serving.faults.replace([], integration);
      serving.faults.clear();
      serving.resetRateLimit();
    },

    /** Checks the name of an integration. @throws SendctlError "usage" if there is none */
    checkIntegration: async (name: string): Promise<void> => void (await integrationNamed(name)),
    /** Returns the faults of all requests, or of an integration's, as `--fault` takes them. */
    faultTexts: serving.faults.texts,
    /**
     * Replaces the faults of all requests, or of those of one integration.
     *
     * @throws SendctlError "usage" with the field `faults[0]`
     */
    faults: (given: unknown, integration?: string, readBody?: (file: string) => string): void =>
      serving.faults.replace(readFaults(given, readBody), integration),

    /**
     * Sets the `status` of the sender ID `name` of an `integration` (default: the default one).
     *
     * @throws SendctlError "usage" with the field
     */
    review: async (given: Fields): Promise<void> => {
      const inIt = { ...given, integration: given["integration"] ?? defaultIntegrationName };
      const { name, integration, ...wanted } = textsIn(inIt, ["name", "status", "integration"]);
      const status = wanted.status.toUpperCase();
      if (!reviewStatuses.includes(status)) {
        const message = `status must be ${orList(reviewStatuses)}, not "${wanted.status}"`;
        throw invalid("status", message);
      }
      const reply = await (await integrationNamed(integration)).review({ name, status });
      if (succeeded(reply)) return;
      const message = `the integration "${integration}" has no sender ID "${name}"`;
      throw invalid("name", message, "pass the integration that has it");
    },

    /**
     * Creates a key of the integration `name`, which is created if it does not exist.
     *
     * @throws SendctlError "usage" with the field
     */
    integration: async (given: Fields) => {
      const { name } = textsIn(given, ["name"]);
      const problem = nameError(name);
      if (problem !== undefined) throw invalid("name", `name ${problem}`);
      await engine.administration.createIntegration(name);
      const { envelope } = await engine.administration.createKey(name);
      const { secret_key: key } = envelope!.data as { readonly secret_key: string };
      return { name, key };
    },
  };
}

/** Returns an object of just these texts. @throws SendctlError "usage" with the wrong field */
function textsIn<Name extends string>(
  given: Fields,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const unknown = Object.keys(given).find((name) => !names.some((known) => known === name));
  if (unknown !== undefined)
    throw invalid(unknown, `unknown field ${unknown}; use ${names.join(", ")}`);
  const wrong = names.find((name) => typeof given[name] !== "string");
  if (wrong !== undefined) throw invalid(wrong, `${wrong} must be a string`);
  return given as Readonly<Record<Name, string>>;
}

/** Returns the error for the name of an integration that does not exist. */
export function unknownIntegration(name: string): SendctlError {
  return invalid("integration", `unknown integration "${name}"`);
}

/** Returns the error for a value that code or a test suite passed. */
export function invalid(field: string, message: string, hint?: string): SendctlError {
  return new SendctlError("usage", message, { field, hint });
}
