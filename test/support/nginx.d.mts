/** Why nginx cannot be started; undefined if it can. */
export const whyNoNginx: string | undefined;

/**
 * Starts nginx on a free port, with docs/deploy/nginx.conf.
 *
 * @param folder for its files
 * @param ports of the two servers
 */
export function startNginx(
  folder: string,
  ports: readonly [number, number],
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }>;
