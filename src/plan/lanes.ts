/** Maximum number of concurrent steps. The client paces its requests. */
const maxLanes = 16;

/** Does work on items, several at a time, in their order. */
export async function inLanes<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(maxLanes, items.length) }, lane));
}
