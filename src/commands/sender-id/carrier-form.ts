/** Names that carriers accept as alphanumeric senders: ruling 5. */
const carrierForm = /^[A-Za-z0-9 ]{1,11}$/;

/** Returns the warning about a name that carriers may refuse; undefined for any other name. */
export function carrierWarning(name: string): string | undefined {
  return carrierForm.test(name)
    ? undefined
    : "carriers may refuse this name: they accept up to 11 letters, digits and spaces, without accents";
}

/** The statuses of a sender ID: ruling 17. Other services may have more. */
export const knownStatuses: readonly string[] = ["PENDING", "APPROVED", "REJECTED"];
