/** Thrown by `--dry-run` to end a command once its request is shown. */
export class Shown extends Error {
  override name = "Shown";
}
