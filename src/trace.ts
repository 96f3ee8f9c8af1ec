import { serviceOf, type Answering, type Service } from "./contract/service.ts";

/**
 * The same service, with a line for each operation: what was asked, the status, the milliseconds.
 *
 * @param now microseconds
 */
export function traced(
  service: Service,
  now: () => number,
  log: (line: string) => Promise<void>,
): Service {
  return serviceOf((name) => {
    const answer: Answering = service[name];
    return async (input) => {
      const begun = now();
      const reply = await answer(input);
      const milliseconds = ((now() - begun) / 1000).toFixed(1);
      await log(`debug: ${name} answered ${reply.status} in ${milliseconds} ms`);
      return reply;
    };
  });
}
