import { operations } from "../contract/operations.ts";
import type { Settings } from "../config/settings.ts";
import { targetName } from "../config/target.ts";
import { serviceOf, type OperationHandler, type Service } from "../contract/service.ts";
import { safeText } from "../core/safe-text.ts";

/** Returns the line that names the target of a command: `→ https://host (profile prod)`. */
export function targetLine(settings: Settings): string {
  return safeText(`→ ${targetName(settings)}`);
}

/** Wraps a service to name its target before the first write. @param announce does nothing when it is called again */
export function announced(service: Service, announce: () => Promise<void>): Service {
  return serviceOf((name) => {
    const operate: OperationHandler = service[name];
    if (operations[name].method === "GET") return operate;
    return async (input) => {
      await announce();
      return operate(input);
    };
  });
}

/**
 * Wraps a service to log each operation with its status and duration.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function traced(
  service: Service,
  elapsed: () => number,
  log: (line: string) => Promise<void>,
): Service {
  return serviceOf((name) => {
    const operate: OperationHandler = service[name];
    return async (input) => {
      const startedAt = elapsed();
      const reply = await operate(input);
      const milliseconds = (elapsed() - startedAt).toFixed(1);
      await log(`debug: ${name} returned ${reply.status} in ${milliseconds} ms`);
      return reply;
    };
  });
}
