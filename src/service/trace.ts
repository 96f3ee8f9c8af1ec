import { serviceOf, type OperationHandler, type Service } from "../contract/service.ts";

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
