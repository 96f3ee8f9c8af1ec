import type { Output } from "../../../output/output.ts";

/**
 * Shows the progress of an operation while it runs.
 *
 * @param done a participle for the progress text, such as "Copied"
 */
export async function withProgress<Result>(
  output: Output,
  done: string,
  body: (report: (share: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = output.progress();
  try {
    return await body((share) => void progress.update(`${done} ${Math.floor(share * 100)}%`));
  } finally {
    await progress.done();
  }
}
