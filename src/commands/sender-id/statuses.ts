/** The statuses of a sender ID: ruling 17. Other services may have more. */
export const knownStatuses: readonly string[] = ["PENDING", "APPROVED", "REJECTED"];
