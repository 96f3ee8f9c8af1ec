/** Records to ask for at a time where nothing is said; a service that refuses so many decides itself. */
export const usualPerPage = 1000;

/** Statuses that may mean: not so many records a page. */
export const invalidStatuses: ReadonlySet<number> = new Set([400, 422]);
