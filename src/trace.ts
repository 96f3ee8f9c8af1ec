import { operations, type OperationName } from "./contract/operations.ts";
import type { Reply, Service } from "./contract/service.ts";

type Answer = (input: never) => Promise<Reply>;

/** The same service, with a line for each operation: what was asked, the status, the milliseconds. */
export function traced(
  service: Service,
  now: () => number,
  log: (line: string) => Promise<void>,
): Service {
  const names = Object.keys(operations) as OperationName[];
  return Object.fromEntries(
    names.map((name) => {
      const answer: Answer = service[name];
      const tracedAnswer: Answer = async (input) => {
        const begun = now();
        const reply = await answer(input);
        const milliseconds = ((now() - begun) / 1000).toFixed(1);
        await log(`debug: ${name} answered ${reply.status} in ${milliseconds} ms`);
        return reply;
      };
      return [name, tracedAnswer];
    }),
  ) as unknown as Service;
}
