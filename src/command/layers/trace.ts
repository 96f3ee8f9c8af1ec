import { serviceOf, type OperationHandler, type Service } from "../../contract/service.ts";

/**
 * Logs each operation with its status and duration, for `--debug` of the embedded engine. It is the lowest layer, so that it
 * shows the operations that a request or the client of another behaviour becomes.
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
