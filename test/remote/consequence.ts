/**
 * Patterns of what a person reads about a request that was cut short. The wording is checked here alone, so
 * that rewording a message changes one line of the tests.
 */

/** The write may have been done: look before you send it again. */
export const mayBeDone = /may have succeeded/i;

/** Sending it again is safe. */
export const unchanged = /nothing was changed/i;
