import type { Reporter } from "vitest/node";

/** Returns a reporter that prints the number and the titles of skipped tests at the end; a title has the reason. */
// oxlint-disable-next-line import/no-default-export -- vitest loads reporters from default exports
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
