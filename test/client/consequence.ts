/**
 * Patterns of messages about interrupted requests. The wording is checked only here, so that a new wording
 * changes one line of the tests.
 */

/** The write may have been carried out; check before sending it again. */
export const mayBeDone = /may have succeeded/i;

/** Sending it again is safe. */
export const unchanged = /nothing was changed/i;
