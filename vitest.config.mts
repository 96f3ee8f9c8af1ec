import { defineConfig } from "vitest/config";

/** Tests that replace modules of Node, or that import tests to run them on another database. */
const isolated = [
  "test/core/{lock,without-links}.test.ts",
  "test/engine/postgres/repeated.test.ts",
  "test/server/slow.test.ts",
];

export default defineConfig({
  test: {
    // Loading the modules again for each of the other files takes a quarter of the processor time.
    projects: [
      { extends: true, test: { name: "isolated", include: isolated } },
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: [...isolated, "**/node_modules/**"],
        },
      },
    ],
    // One more than the cores of a small machine, because some tests wait for a lock or a server.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: "./test/support/current-build.mjs",
    reporters: ["default", "./test/support/skipped-tests.ts"],
    // Commands that run in a worker use its time zone, so it equals the one that `home` gives to processes. Processes
    // that inherit the environment write no code to the cache folder of the user who runs the tests.
    env: { TZ: "UTC", SENDCTL_NO_CODE_CACHE: "1" },
  },
});
