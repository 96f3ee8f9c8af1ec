/** The result of trying a size: accepted, refused, or accepted with another effect, which is described. */
export type Tried = "accepted" | "refused" | { readonly odd: string };

/** The largest size, or a description if no size from the smallest to the largest one is the limit. */
export type Largest = { readonly value: number } | { readonly odd: string };

interface Limits {
  readonly min: number;
  readonly max: number;
  /** Tried first. */
  readonly usual: number;
  readonly attempt: (size: number) => Promise<Tried>;
  /** Returns the texts of refusals, which may name the limit. */
  readonly texts: () => readonly string[];
}

/** Finds the largest size that a service accepts, from `min` to `max`. */
export async function findLargest(limits: Limits): Promise<Largest> {
  const { min, max, usual, attempt } = limits;
  const atUsual = await attempt(usual);
  if (atUsual === "refused") {
    const atMin = await attempt(min);
    if (atMin === "refused") return { odd: `less than ${min}` };
    return atMin === "accepted" ? narrow(min, usual, limits) : atMin;
  }
  if (atUsual !== "accepted") return atUsual;
  const above = await attempt(usual + 1);
  if (above === "refused") return { value: usual };
  const beyond = above === "accepted" ? await attempt(max + 1) : above;
  if (beyond === "refused") return narrow(usual + 1, max + 1, limits);
  return beyond === "accepted" ? { odd: `over ${max}` } : beyond;
}

/** Narrows a limit down. @param accepted a size that is accepted @param refused a larger size that is refused */
export async function narrow(
  accepted: number,
  refused: number,
  { attempt, texts }: Pick<Limits, "attempt" | "texts">,
): Promise<Largest> {
  let [low, high] = [accepted, refused];
  const tried = new Set<number>();
  for (; high - low > 1;) {
    const isNew = (size: number): boolean => size > low && size < high && !tried.has(size);
    const hints = texts().flatMap((text) =>
      (text.slice(0, 2000).match(/\d{1,5}/g) ?? []).map(Number),
    );
    const size =
      hints.flatMap((hint) => [hint, hint + 1]).find(isNew) ?? Math.floor((low + high) / 2);
    tried.add(size);
    const result = await attempt(size);
    if (result === "accepted") low = size;
    else if (result === "refused") high = size;
    else return result;
  }
  return { value: low };
}
