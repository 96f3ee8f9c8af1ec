import type { Reporter } from "vitest/node";

/** Returns a reporter that prints, at the end of a run, how many tests were skipped and their titles, which say why. */
// oxlint-disable-next-line import/no-default-export -- vitest takes a reporter from there
export default function skippedTests(): Reporter {
  return {
    onTestRunEnd: (modules) => {
      const skipped = modules.flatMap((module) => Array.from(module.children.allTests("skipped")));
      if (skipped.length === 0) return;
      const titles = skipped.map(({ fullName }) => `  ${fullName}\n`);
      process.stdout.write(`\n${skipped.length} skipped:\n${titles.join("")}`);
    },
  };
}
