import type { Output } from "../../../output/output.ts";

/**
 * Shows how much of something is done while it runs.
 *
 * @param done what is done with each part: "Copied", say
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
