import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** Writes a CSV file of contacts, up to 8 million, each with another number. */
export async function writeContacts(file, count) {
  const csv = createWriteStream(file);
  csv.write("phone,first_name,birth_date\n");
  for (let number = 0; number < count; number += 1) {
    const phone = 12_122_000_000 + ((number * 7919) % 8_000_000);
    csv.write(`+${phone},Ada ${number},1990-0${1 + (number % 9)}-28\n`);
    if (number % 10_000 === 0) await setTimeout(0);
  }
  csv.end();
  await once(csv, "finish");
}
