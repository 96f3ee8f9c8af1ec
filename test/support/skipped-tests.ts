import type { Reporter } from "vitest/node";

/**
 * Prints at the end of a run how many tests were skipped, and their titles, which say why.
 * https://vitest.dev/guide/advanced/reporters
 */
const skippedTests: Reporter = {
  onTestRunEnd: (modules) => {
    const skipped = modules.flatMap((module) => Array.from(module.children.allTests("skipped")));
    if (skipped.length === 0) return;
    const titles = skipped.map(({ fullName }) => `  ${fullName}\n`);
    process.stdout.write(`\n${skipped.length} skipped:\n${titles.join("")}`);
  },
};

// oxlint-disable-next-line import/no-default-export -- vitest takes a reporter from there
export default skippedTests;
