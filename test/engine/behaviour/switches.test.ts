import { describe, expect, test } from "vitest";
import {
  ownBehaviour,
  switches,
  type SwitchName,
  type SwitchValue,
} from "../../../src/contract/behaviour.ts";
import { transports } from "./clients.ts";
import { observers } from "./observe.ts";

const names = Object.keys(switches) as SwitchName[];

function valuesOf(name: SwitchName): readonly SwitchValue[] {
  const one = switches[name];
  if ("values" in one) return one.values;
  return [...new Set([one.min, one.min + 7, one.default, one.max])];
}

for (const [transport, open] of Object.entries(transports)) {
  describe(`a switch over ${transport}`, () => {
    for (const name of names) {
      for (const value of valuesOf(name)) {
        test(`${name}: ${value}`, async () => {
          const client = await open({ [name]: value });
          expect(await observers[name](client, value)).toBe(value);
          expect(client.complaints).toEqual([]);
          const health = await client.send("GET", "/healthz");
          const isOwn = value === ownBehaviour[name];
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
