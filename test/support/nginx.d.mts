/** Why nginx cannot be started; undefined if it can. */
export const whyNoNginx: string | undefined;

/**
 * Starts nginx on a free port, with the configuration of docs/deploy.md.
 *
 * @param folder for its files
 * @param ports of the two servers
 */
export function startNginx(
  folder: string,
  ports: readonly [number, number],
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }>;
