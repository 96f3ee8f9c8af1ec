import type { SeedSenderId } from "./seed-store.ts";
import { randomOf, shuffled, streams, type Seed } from "./random.ts";

/** Of at most six letters: with an ending or a number behind it, a name has at most 11 characters. */
const stems: readonly string[] =
  "Nova Acme Kite Orbit Lumen Delta Terra Savana Harbor Maple Zuri Falcon Cobalt Solis Juno Aster Baobab Pixel Vela Onyx Marigo Tide Quill Ember".split(
    " ",
  );

/** Of at most five letters, and what a business of that kind sends. */
const endings: readonly (readonly [ending: string, ...purposes: string[]])[] = [
  ["Bank", "One-time passcodes and account alerts", "Card payment alerts"],
  ["Pay", "Payment confirmations and receipts", "Wallet top-ups and refunds"],
  ["Shop", "Order updates and delivery notices", "Weekly offers to subscribed customers"],
  ["Care", "Appointment reminders for patients", "Prescription and test result notices"],
  ["Air", "Boarding and gate changes", "Booking confirmations and check-in reminders"],
  ["Post", "Parcel tracking and collection codes"],
  ["Cabs", "Driver arrival notices and trip receipts"],
  ["Fit", "Class reminders and membership renewals"],
  ["Foods", "Order status and table reservations"],
  ["Edu", "Term dates, fees and examination notices for parents"],
  ["Power", "Meter tokens and planned outage notices"],
  ["Net", "Data bundle balances and service notices"],
  ["Farm", "Weather warnings and market prices for growers"],
  ["Stay", "Reservation confirmations and check-in codes"],
  ["Cover", "Policy renewals and claim updates"],
  ["Radio", "Event invitations and competition results"],
];

/** Most are approved, wherever the list ends. */
const statuses = ["APPROVED", "APPROVED", "PENDING", "APPROVED", "REJECTED"] as const;

/**
 * Sender IDs with names that carriers take (ruling 5), no two alike: the first of a seed are the same,
 * however many are asked for.
 */
export function seedSenderIds(seed: Seed, count: number): SeedSenderId[] {
  const random = randomOf(seed, streams.senderIds);
  const pairs = shuffled(
    stems.flatMap((stem) => endings.map((ending) => [stem, ending] as const)),
    random,
  );
  return Array.from({ length: count }, (_, index) => {
    const [stem, [ending, ...purposes]] = pairs[index % pairs.length]!;
    const round = Math.floor(index / pairs.length);
    // Once the pairs are used up, a stem and a number: the pair's place among all tells stems apart.
    const name = round === 0 ? `${stem}${ending}` : `${stem}${index}`;
    return { name, purpose: random.pick(purposes), status: statuses[index % statuses.length]! };
  });
}
