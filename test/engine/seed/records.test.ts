import * as fc from "fast-check";
import parsePhone from "libphonenumber-js/max";
import { describe, expect, test } from "vitest";
import { cases } from "../../support/fuzz-runs.ts";
import { checkOf } from "../../../src/engine/rules/validation.ts";
import { groupFields, senderIdFields } from "../../../src/contract/resources.ts";
import {
  countries,
  phonesPerGroup,
  seedContacts,
  seedGroups,
  seedSenderIds,
} from "../../../src/engine/seed/seed.ts";
import { anyCharacter } from "../../support/any-character.ts";

const anySeed = fc.string({ minLength: 1, unit: anyCharacter }).map((text) => ({ text }));

describe("for any random seed", () => {
  test("sender IDs are valid for the engine and for carriers, and unique", () => {
    fc.assert(
      fc.property(anySeed, fc.integer({ min: 0, max: 2000 }), ({ text }, count) => {
        const created = [...seedSenderIds(text, count)];
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
    const created = [...seedSenderIds("many", 100_000)];
    expect(new Set(created.map(({ name }) => name)).size).toBe(100_000);
    expect(Math.max(...created.map(({ name }) => name.length))).toBeLessThanOrEqual(11);
  });

  test("groups are valid, and the first ones are the same for every count", () => {
    fc.assert(
      fc.property(anySeed, fc.integer({ min: 1, max: 300 }), ({ text }, count) => {
        const created = [...seedGroups(text, count, [7])];
        const more = [...seedGroups(text, count + 9, [7])];
        expect(more.slice(0, count)).toEqual(created);
        expect(new Set(created.map(({ name }) => name)).size).toBe(count);
        for (const { name, birthday_message, sender_id } of created) {
          expect(checkOf(groupFields.name)(name)).toBeUndefined();
          expect(checkOf(groupFields.birthday_message)(birthday_message)).toBeUndefined();
          expect(birthday_message ?? "{first_name}").toContain("{first_name}");
          expect([7, null]).toContain(sender_id);
        }
      }),
      cases(15),
    );
  });

  test("two groups of three have a birthday message", () => {
    const texts = [...seedGroups("7", 3000, [])].map((group) => group.birthday_message);
    expect(texts.filter((text) => text !== null).length / 3000).toBeCloseTo(2 / 3, 1);
  });

  for (const [index, { prefix, firstNames }] of countries.entries()) {
    test(`phones of +${prefix} are valid and ascending, and birth dates exist`, () => {
      fc.assert(
        fc.property(anySeed, fc.integer({ min: 1, max: 60 }), ({ text }, count) => {
          const created = [...seedContacts(text, index, 1, count)];
          expect(created).toHaveLength(count);
          const phones = created.map(({ phone }) => phone);
          expect(phones.toSorted()).toEqual(phones);
          expect(new Set(phones).size).toBe(count);
          for (const { phone, first_name, birth_date } of created) {
            const parsed = parsePhone(phone);
            expect(parsed?.isValid(), phone).toBe(true);
            expect(parsed?.number).toBe(phone);
            expect(first_name === null || firstNames.includes(first_name)).toBe(true);
            const date = birth_date ?? "2000-02-29";
            expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
          }
        }),
        cases(6),
      );
    });

    test(`every phone of +${prefix} is valid`, () => {
      for (let part = 0; part <= 200; part += 1) {
        const number = Math.floor(((phonesPerGroup - 1) * part) / 200);
        const phone = `+${prefix}${String(number).padStart(7, "0")}`;
        expect(parsePhone(phone)?.isValid(), phone).toBe(true);
      }
    });
  }

  test("some contacts are born on 29 February", () => {
    const created = [...seedContacts("leap", 0, 1, 2000)];
    expect(created.some(({ birth_date }) => birth_date?.endsWith("-02-29"))).toBe(true);
  });
});
