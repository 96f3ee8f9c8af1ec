/** Ends a command that was to show its request, and has. */
export class Shown extends Error {
  override name = "Shown";
}
