import { throwingRefusals } from "../../../src/service/refusals.ts";
import type { Group, Page, SenderId, Service } from "../../../src/contract/service.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { type Outcome, execute, settled, withPending } from "../../../src/manifest/plan/execute.ts";
import {
  type Memory,
  createPlanner,
  type Plan,
  type PlanOptions,
} from "../../../src/manifest/plan/plan.ts";

/** A location that tests do not check. */
export const nowhere = { file: "test.yaml", line: 1, column: 1 };
export const everything: PlanOptions = { prune: true, replace: true, resendSenderId: false };

export interface State {
  readonly senderIds: readonly SenderId[];
  readonly groups: readonly Group[];
}

export async function stateOf(service: Service): Promise<State> {
  const query = { perPage: 1000 };
  const senderIds = await service["sender-id.list"]({ query });
  const groups = await service["group.list"]({ query });
  return {
    senderIds: (senderIds.envelope!.data as Page<SenderId>).data,
    groups: (groups.envelope!.data as Page<Group>).data,
  };
}

/** Returns the fields of a manifest, or of a state, that responses show, sorted by name. */
export function shownOf({ senderIds = [], groups = [] }: Manifest | State) {
  return {
    senderIds: senderIds.map(({ name, purpose }) => ({ name, purpose })).toSorted(byName),
    groups: groups
      .map(({ name, send_birthday, send_holiday, birthday_message }) => ({
        name,
        send_birthday,
        send_holiday,
        birthday_message,
      }))
      .toSorted(byName),
  };
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

export async function planFor(
  service: Service,
  manifest: Manifest,
  options = everything,
  memory: Memory = [],
): Promise<Plan> {
  const planner = createPlanner(manifest, options, memory);
  const { senderIds, groups } = await stateOf(service);
  for (const record of senderIds) planner.take("sender-id", { ...record });
  for (const record of groups) planner.take("group", { ...record });
  const plan = planner.plan();
  if ("diagnostics" in plan)
    throw new Error(plan.diagnostics.map(({ message }) => message).join("\n"));
  return plan;
}

/** Returns the steps that change something. */
export function changing({ steps }: Plan) {
  return steps.filter(({ action }) => action !== "keep");
}

/** The state file of consecutive applies. */
export interface Remembered {
  memory: Memory;
}

export async function applyTo(
  service: Service,
  manifest: Manifest,
  options = everything,
  remembered: Remembered = { memory: [] },
) {
  const outcomes: Outcome[] = [];
  const { memory } = remembered;
  const plan = await planFor(service, manifest, options, memory);
  const steps = changing(plan);
  remembered.memory = withPending(memory, steps);
  await execute(steps, {
    service: throwingRefusals(service),
    isListed: plan.isListed,
    warn: async () => {},
    report: async (outcome) => void outcomes.push(outcome),
  });
  remembered.memory = settled(memory, outcomes);
  return outcomes;
}
