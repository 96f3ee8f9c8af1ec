import { describe, expect, test } from "vitest";
import {
  changedSwitches,
  completeBehaviour,
  defaultOf,
  switches,
  type SwitchName,
  type SwitchValue,
} from "../../../src/contract/behaviour.ts";
import { ownBehaviour } from "../../../src/engine/rulings.ts";
import { transports, type Client } from "./clients.ts";
import { observers } from "./observe.ts";

const names = Object.keys(switches) as SwitchName[];

function valuesOf(name: SwitchName): readonly SwitchValue[] {
  const one = switches[name];
  if ("values" in one) return one.values;
  return [...new Set([one.min, one.min + 7, one.default, one.max])];
}

test("the engine's own rulings are the defaults of the table of switches", () => {
  expect(ownBehaviour).toStrictEqual(completeBehaviour({}));
  expect(changedSwitches(ownBehaviour)).toEqual([]);
});

/** Switches of keys, which only a server asks for. */
const needServer: readonly SwitchName[] = ["no_key_status", "unknown_key_status"];

for (const [transport, open] of Object.entries(transports)) {
  describe(transport, () => {
    const observed = async (name: SwitchName, value: SwitchValue): Promise<Client> => {
      const client = await open({ [name]: value });
      expect(await observers[name](client, value)).toBe(value);
      expect(client.complaints).toEqual([]);
      return client;
    };
    for (const name of names) {
      if (transport === "in process" && needServer.includes(name)) continue;
      for (const value of valuesOf(name)) {
        test(`${name}: ${value}`, async () => {
          await observed(name, value);
          const health = await (await open({ [name]: value })).send("GET", "/healthz");
          const isOwn = value === defaultOf(name);
          expect(health.json).toEqual({
            status: true,
            message: "Healthy",
            data: isOwn ? null : { behaviour: { [name]: value } },
          });
        });
      }
    }
  });
}
