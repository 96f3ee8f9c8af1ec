import { reviewStatuses } from "../../engine/rules/rulings.ts";
import { nameError } from "../../engine/rules/validation.ts";
import type { Embedded } from "../../engine/embedded.ts";
import type { RestoreSnapshot } from "../../engine/store/store.ts";
import { SendctlError } from "../../core/error.ts";
import { succeeded } from "../../contract/service.ts";
import { readFault } from "../faults.ts";
import type { Serving } from "../serve.ts";
import type { Recording } from "./recording.ts";

/** What a test suite does with a running service. A refused call changes nothing. */
export type Control = ReturnType<typeof createControl>;

/** Parses faults as `--fault` takes them. @throws SendctlError "usage" with the field `faults[0]` */
export function readFaults(specifications: readonly string[]) {
  return specifications.map((specification, index) => {
    try {
      return readFault(specification);
    } catch (error) {
      if (!(error instanceof SendctlError)) throw error;
      throw new SendctlError(error.kind, error.message, {
        hint: error.hint,
        field: `faults[${index}]`,
      });
    }
  });
}

/**
 * Controls a service that serves a temporary database.
 *
 * @param restore restores the records that the service began with
 */
export function createControl(
  serving: Pick<Serving, "replaceFaults" | "resetRateLimit">,
  engine: Embedded,
  restore: RestoreSnapshot,
  recording: Recording,
) {
  return {
    /**
     * Restores the records and ids that the service began with, and forgets requests, faults and counts of the rate
     * limit. Keys stay, and integrations that were created since are empty.
     *
     * @param integration the only integration to empty; everything else stays
     * @throws SendctlError "usage" with the field `integration` for an unknown one
     */
    reset: async (integration?: string): Promise<void> => {
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
    /** Replaces all faults. @throws SendctlError "usage" with the field `faults[0]` */
    faults: (specifications: readonly string[]): void =>
      serving.replaceFaults(readFaults(specifications)),

    /** Sets the status of a sender ID of the default integration. @throws SendctlError "usage" with the field */
    review: async (name: string, status: string): Promise<void> => {
      if (!reviewStatuses.includes(status)) {
        const hint = `use one of ${reviewStatuses.join(", ")}`;
        throw invalid("status", `invalid status "${status}"`, hint);
      }
      const reply = await engine.review({ name, status }, undefined);
      if (!succeeded(reply)) throw invalid("name", `there is no sender ID "${name}"`);
    },

    /** Creates a key of an integration, which is created if it does not exist. @throws SendctlError "usage" */
    integration: async (name: string): Promise<string> => {
      const { administration } = engine;
      const problem = nameError(name);
      if (problem !== undefined) throw invalid("name", `name ${problem}`);
      await administration.createIntegration(name);
      const { envelope } = await administration.createKey(name);
      return (envelope!.data as { readonly secret_key: string }).secret_key;
    },
  };
}

function invalid(field: string, message: string, hint?: string): SendctlError {
  return new SendctlError("usage", message, { field, hint });
}
