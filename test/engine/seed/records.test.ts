import * as fc from "fast-check";
import parsePhone from "libphonenumber-js/max";
import { describe, expect, test } from "vitest";
import { cases } from "../../support/fuzz-runs.ts";
import { checkOf } from "../../../src/engine/rules/validation.ts";
import { groupFields, senderIdFields } from "../../../src/contract/resources.ts";
import {
  countries,
  phoneCount,
  seedContacts,
  seedGroupSizes,
  seedGroups,
  seedOf,
  seedSenderIds,
  seedUuids,
} from "../../../src/engine/seed/records.ts";

const anySeed = fc.string({ minLength: 1, unit: "binary" }).map((text) => ({ text }));

describe("for any random seed", () => {
  test("sender IDs are valid for the engine and for carriers, and unique", () => {
    fc.assert(
      fc.property(anySeed, fc.integer({ min: 0, max: 2000 }), ({ text }, count) => {
        const created = seedSenderIds(seedOf(text), count);
        expect(created).toHaveLength(count);
        expect(new Set(created.map(({ name }) => name)).size).toBe(count);
        for (const { name, purpose } of created) {
          expect(name).toMatch(/^[A-Za-z0-9]{1,11}$/);
          expect(checkOf(senderIdFields.purpose)(purpose)).toBeUndefined();
        }
        const approved = created.filter(({ status }) => status === "APPROVED").length;
        expect(approved).toBeGreaterThanOrEqual(count / 2);
      }),
      cases(15),
    );
  });

  test("the maximum number of sender IDs are unique", () => {
    const created = seedSenderIds(seedOf("many"), 100_000);
    expect(new Set(created.map(({ name }) => name)).size).toBe(100_000);
    expect(Math.max(...created.map(({ name }) => name.length))).toBeLessThanOrEqual(11);
  });

  test("groups are valid, and the first ones are the same for every count", () => {
    fc.assert(
      fc.property(anySeed, fc.integer({ min: 1, max: 300 }), ({ text }, count) => {
        const seed = seedOf(text);
        const created = Array.from({ length: count }, seedGroups(seed, ["ACME"]));
        expect(
          Array.from({ length: count + 9 }, seedGroups(seed, ["ACME"])).slice(0, count),
        ).toEqual(created);
        for (const { name, birthday_message, senderId } of created) {
          expect(checkOf(groupFields.name)(name)).toBeUndefined();
          expect(checkOf(groupFields.birthday_message)(birthday_message)).toBeUndefined();
          expect(birthday_message ?? "{first_name}").toContain("{first_name}");
          expect(["ACME", null]).toContain(senderId);
        }
      }),
      cases(15),
    );
  });

  test("uuids are of version 4 and unique", () => {
    const seed = seedOf("uuids");
    const seen = new Set<string>();
    for (const [firstId, count] of [
      [1, 10_000],
      [10_001, 10_000],
      [2 ** 32 + 1, 10_000],
    ] as const) {
      const next = seedUuids(seed, firstId);
      for (let index = 0; index < count; index += 1) seen.add(next());
    }
    expect(seen.size).toBe(30_000);
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect([...seen].filter((uuid) => !form.test(uuid))).toEqual([]);
  });

  test("group sizes add up and fit their countries", () => {
    const fewest = Math.min(...countries.map(phoneCount));
    fc.assert(
      fc.property(
        anySeed,
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 0, max: 5_000_000 }),
        ({ text }, groups, mean) => {
          const contacts = Math.min(mean * groups, 100_000_000);
          const sizes = [...seedGroupSizes(seedOf(text), groups, contacts)];
          expect(sizes).toHaveLength(groups);
          expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(contacts);
          expect(Math.min(...sizes)).toBeGreaterThanOrEqual(0);
          expect(Math.max(...sizes)).toBeLessThanOrEqual(fewest);
        },
      ),
      cases(25),
    );
  });

  for (const country of countries) {
    test(`phones of +${country.code} are valid and ascending, and birth dates exist`, () => {
      fc.assert(
        fc.property(anySeed, fc.nat(9), fc.integer({ min: 1, max: 60 }), (...given) => {
          const [{ text }, index, count] = given;
          const created = [...seedContacts(seedOf(text), country, index, 1, count)];
          expect(created).toHaveLength(count);
          const phones = created.map(({ phone }) => phone);
          expect(phones.toSorted()).toEqual(phones);
          expect(new Set(phones).size).toBe(count);
          for (const { phone, firstName, birthDate } of created) {
            const parsed = parsePhone(phone);
            expect(parsed?.isValid(), phone).toBe(true);
            expect(parsed?.number).toBe(phone);
            expect(firstName === null || country.firstNames.includes(firstName)).toBe(true);
            const date = birthDate ?? "2000-02-29";
            expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
          }
        }),
        cases(6),
      );
    });

    test(`every range of +${country.code} is valid throughout`, () => {
      const { code, prefixes, digits } = country;
      for (const prefix of prefixes) {
        for (let part = 0; part <= 200; part += 1) {
          const number = Math.floor(((10 ** digits - 1) * part) / 200);
          const phone = `+${code}${prefix}${String(number).padStart(digits, "0")}`;
          expect(parsePhone(phone)?.isValid(), phone).toBe(true);
        }
      }
    });
  }

  test("some contacts are born on 29 February", () => {
    const created = [...seedContacts(seedOf("leap"), countries[0]!, 0, 1, 2000)];
    expect(created.some(({ birthDate }) => birthDate?.endsWith("-02-29"))).toBe(true);
  });
});
