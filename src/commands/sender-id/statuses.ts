/** What a sender ID's status can be: ruling 17. Another service may know others. */
export const knownStatuses: readonly string[] = ["PENDING", "APPROVED", "REJECTED"];
