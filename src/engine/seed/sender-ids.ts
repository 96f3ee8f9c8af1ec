import type { SeedSenderId } from "./seed-store.ts";
import { randomOf, shuffled, streams, type Seed } from "./random.ts";

/** At most six letters each, so that a name with an ending or a number has at most 11 characters. */
const stems: readonly string[] =
  "Nova Acme Kite Orbit Lumen Delta Terra Savana Harbor Maple Zuri Falcon Cobalt Solis Juno Aster Baobab Pixel Vela Onyx Marigo Tide Quill Ember".split(
    " ",
  );

/** Endings of at most five letters, each with purposes for that kind of business. */
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

/** Repeats over the list. Most are approved, whatever the count. */
const statuses = ["APPROVED", "APPROVED", "PENDING", "APPROVED", "REJECTED"] as const;

/**
 * Generates sender IDs with unique names that carriers accept (ruling 5). The first N of a seed are the same for
 * every count.
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
    // After all pairs are used, names are a stem and a number. The index makes them unique.
    const name = round === 0 ? `${stem}${ending}` : `${stem}${index}`;
    return { name, purpose: random.pick(purposes), status: statuses[index % statuses.length]! };
  });
}
