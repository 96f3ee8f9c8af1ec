import { closeSync, openSync, writeSync } from "node:fs";

/** Writes a CSV file of contacts with different phones, which are not in order. @param {string} file @param {number} count */
export function writeContacts(file, count) {
  const descriptor = openSync(file, "w");
  writeSync(descriptor, "phone,first_name,birth_date\n");
  for (let from = 0; from < count; from += 10_000) {
    const lines = [];
    for (let at = from; at < Math.min(count, from + 10_000); at += 1) {
      const phone = `+4471${String((at * 7_654_321) % 100_000_000).padStart(8, "0")}`;
      lines.push(`${phone},Ada,19${40 + (at % 60)}-0${1 + (at % 9)}-1${at % 10}\n`);
    }
    writeSync(descriptor, lines.join(""));
  }
  closeSync(descriptor);
}
