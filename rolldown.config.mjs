import { defineConfig } from "rolldown";

/**
 * Start-up is what counts: every file that is read costs a quarter of a millisecond, so what is always
 * loaded together is one file, and what few commands need is another.
 */
const groups = [
  { name: "engine", test: /src.engine|node_modules.better-sqlite3/ },
  { name: "table", test: /src.io.table\.ts|node_modules.(cli-table3|@colors)/ },
  { name: "width", test: /node_modules.(string-width|strip-ansi|ansi-regex|get-east-asian-width)/ },
  { name: "colour", test: /node_modules.chalk/ },
  {
    name: "prompts",
    test: /src.io.prompts\.ts|node_modules.(@inquirer|fast-|signal-exit|mute-stream|cli-width)/,
  },
  {
    name: "commands",
    test: /src.commands.(?!(sender-id|group|declare)\.ts)|src.io.display-width\.ts/,
  },
  {
    name: "base",
    priority: 1,
    test: /src.(failure|exit-codes|contract|config|world|io.(safe-text|json-text|output|descriptor-stream|prompter\.|style))|package\.json/,
  },
];

/** Commander can start programs for subcommands; none of ours is one, and the module costs time to load. */
const childProcess = "node:child_process";
const nothing = "\0nothing";
const withoutChildProcess = {
  name: "without-child-process",
  /** @param {string} id @param {string | undefined} importer */
  resolveId: (id, importer) =>
    id === childProcess && importer?.includes("commander") ? nothing : undefined,
  /** @param {string} id */
  load: (id) => (id === nothing ? "export default {};" : undefined),
};

export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  plugins: [withoutChildProcess],
  output: {
    dir: "dist",
    cleanDir: true,
    format: "cjs",
    minify: true,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    codeSplitting: { groups },
  },
});
