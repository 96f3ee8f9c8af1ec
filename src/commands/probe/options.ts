/** The options of `sendctl probe`. */
export interface ProbeCommandOptions {
  readonly scratchGroup?: boolean;
  readonly clean?: boolean;
  readonly save?: boolean;
  readonly yes?: boolean;
}
