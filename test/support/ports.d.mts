export function takePort(): Promise<{ port: number; close: () => Promise<void> }>;
export function freePort(): Promise<number>;
