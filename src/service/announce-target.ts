import { operations } from "../contract/operations.ts";
import type { Settings } from "../config/settings.ts";
import { targetName } from "../config/target-name.ts";
import { serviceOf, type OperationHandler, type Service } from "../contract/service.ts";
import { safeText } from "../output/safe-text.ts";

/** Returns the line that names the target of a command: `→ https://host (profile prod)`. */
export function targetLine(settings: Settings): string {
  return safeText(`→ ${targetName(settings)}`);
}

/**
 * Wraps a service to print its target before the first write.
 *
 * @param target as returned by `targetLine`
 */
export function announced(
  service: Service,
  target: string,
  print: (line: string) => Promise<void>,
): Service {
  let printed: Promise<void> | undefined;
  return serviceOf((name) => {
    const operate: OperationHandler = service[name];
    if (operations[name].method === "GET") return operate;
    return async (input) => {
      await (printed ??= print(target));
      return operate(input);
    };
  });
}
