import { reviewStatuses } from "../../engine/rules/rulings.ts";
import { nameError } from "../../engine/rules/validation.ts";
import type { Embedded } from "../../engine/embedded.ts";
import type { RestoreSnapshot } from "../../engine/store/store.ts";
import { SendctlError } from "../../core/error.ts";
import { succeeded } from "../../contract/service.ts";
import { readFault } from "../faults.ts";
import type { Serving } from "../serve.ts";
import type { Recording } from "./recording.ts";

/** What a test suite does with a running service. Values are not validated; a refused call changes nothing. */
export type Control = ReturnType<typeof createControl>;

type Fields = Readonly<Record<string, unknown>>;

/** Parses a list of faults as `--fault` takes them. @throws SendctlError "usage" with the field `faults[0]` */
export function readFaults(given: unknown) {
  // A list with a gap: `every` would pass over it.
  const specifications: readonly unknown[] | undefined = Array.isArray(given)
    ? [...given]
    : undefined;
  if (specifications?.every((text) => typeof text === "string") !== true) {
    const example = 'like ["group.create:status=503"]';
    throw invalid("faults", `faults must be a list of texts, ${example}`);
  }
  return specifications.map((specification, index) => {
    try {
      return readFault(specification);
    } catch (error) {
      if (!(error instanceof SendctlError)) throw error;
      throw invalid(`faults[${index}]`, error.message, error.hint);
    }
  });
}

/**
 * Controls a service that serves a temporary database.
 *
 * @param restore restores the records that the service began with
 */
export function createControl(
  serving: Pick<Serving, "replaceFaults" | "resetRateLimit" | "faultTexts">,
  engine: Embedded,
  restore: RestoreSnapshot,
  recording: Recording,
) {
  return {
    /**
     * Restores the records and ids that the service began with, and forgets requests, faults and counts of the rate
     * limit. Keys stay, and integrations that were created since are empty.
     *
     * @param given may have `integration`: the only one to empty; everything else stays
     * @throws SendctlError "usage" with the field, also for an undefined integration: the caller did not mean everything
     */
    reset: async (given: Fields): Promise<void> => {
      const isWhole = Object.keys(given).length === 0;
      const integration = isWhole ? undefined : textsIn(given, ["integration"]).integration;
      if (!(await restore(integration))) {
        throw invalid("integration", `there is no integration "${integration}"`);
      }
      if (integration !== undefined) return;
      recording.clear();
      serving.replaceFaults([]);
      serving.resetRateLimit();
    },

    /** Returns the newest requests, oldest first. */
    requests: recording.requests,
    clearRequests: recording.clear,
    /** Calls the follower with each further request. */
    follow: recording.follow,
    /** Returns the faults as `--fault` takes them. */
    faultTexts: serving.faultTexts,
    /** Replaces all faults. @throws SendctlError "usage" with the field `faults[0]` */
    faults: (given: unknown): void => serving.replaceFaults(readFaults(given)),

    /** Sets the `status` of the sender ID `name` of the default integration. @throws SendctlError "usage" with the field */
    review: async (given: Fields): Promise<void> => {
      const { name, status } = textsIn(given, ["name", "status"]);
      if (!reviewStatuses.includes(status)) {
        const hint = `use one of ${reviewStatuses.join(", ")}`;
        throw invalid("status", `invalid status "${status}"`, hint);
      }
      const reply = await engine.review({ name, status }, undefined);
      if (!succeeded(reply)) throw invalid("name", `there is no sender ID "${name}"`);
    },

    /**
     * Creates a key of the integration `name`, which is created if it does not exist.
     *
     * @throws SendctlError "usage" with the field
     */
    integration: async (given: Fields) => {
      const { name } = textsIn(given, ["name"]);
      const { administration } = engine;
      const problem = nameError(name);
      if (problem !== undefined) throw invalid("name", `name ${problem}`);
      await administration.createIntegration(name);
      const { envelope } = await administration.createKey(name);
      const { secret_key: key } = envelope!.data as { readonly secret_key: string };
      return { name, key };
    },
  };
}

/** Returns the texts of an object that has these fields. @throws SendctlError "usage" with the first one that is wrong */
function textsIn<Name extends string>(
  given: Fields,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const unknown = Object.keys(given).find((name) => !names.some((known) => known === name));
  if (unknown !== undefined)
    throw invalid(unknown, `unknown field ${unknown}; use ${names.join(" and ")}`);
  const wrong = names.find((name) => typeof given[name] !== "string");
  if (wrong !== undefined) throw invalid(wrong, `${wrong} must be a string`);
  return given as Readonly<Record<Name, string>>;
}

/** Returns the error for a value that code or a test suite passed. */
export function invalid(field: string, message: string, hint?: string): SendctlError {
  return new SendctlError("usage", message, { field, hint });
}
