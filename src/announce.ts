import { operations } from "./contract/operations.ts";
import { serviceOf, type Answering, type Service } from "./contract/service.ts";

/** The same service, which says where it is before it changes anything. */
export function announced(
  service: Service,
  baseUrl: string,
  say: (line: string) => Promise<void>,
): Service {
  let isSaid = false;
  return serviceOf((name) => {
    const answer: Answering = service[name];
    if (operations[name].method === "GET") return answer;
    return async (input) => {
      if (!isSaid) await say(`→ ${baseUrl}`);
      isSaid = true;
      return answer(input);
    };
  });
}
