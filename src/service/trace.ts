import { serviceOf, type OperationHandler, type Service } from "../contract/service.ts";

/**
 * The same service, with a line for each operation: what was asked, the status, the milliseconds.
 *
 * @param elapsed milliseconds, never set back
 */
export function traced(
  service: Service,
  elapsed: () => number,
  log: (line: string) => Promise<void>,
): Service {
  return serviceOf((name) => {
    const operate: OperationHandler = service[name];
    return async (input) => {
      const started = elapsed();
      const reply = await operate(input);
      const milliseconds = (elapsed() - started).toFixed(1);
      await log(`debug: ${name} answered ${reply.status} in ${milliseconds} ms`);
      return reply;
    };
  });
}
