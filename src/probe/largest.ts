/** The result of trying a size. */
export type Tried =
  | "accepted"
  | "refused"
  | { readonly unclear: string }
  | { readonly cut: string };

/** The largest size, or why it is not known. */
export type Largest =
  | { readonly largest: number }
  | { readonly odd: string }
  | { readonly unclear: string };

interface Limits {
  readonly min: number;
  readonly max: number;
  /** Tried first. */
  readonly usual: number;
  readonly attempt: (size: number) => Promise<Tried>;
  /** Returns numbers in the texts of refusals, which may name the limit. */
  readonly hints: () => readonly number[];
}

/** Finds the largest size that a service accepts, from `min` to `max`. */
export async function findLargest(limits: Limits): Promise<Largest> {
  const { min, max, usual, attempt } = limits;
  const atUsual = await attempt(usual);
  if (typeof atUsual === "object") return stopped(atUsual);
  if (atUsual === "refused") {
    const atMin = await attempt(min);
    if (typeof atMin === "object") return stopped(atMin);
    return atMin === "refused" ? { odd: `less than ${min}` } : narrow(min, usual, limits);
  }
  const above = await attempt(usual + 1);
  if (typeof above === "object") return stopped(above);
  if (above === "refused") return { largest: usual };
  const beyond = await attempt(max + 1);
  if (typeof beyond === "object") return stopped(beyond);
  return beyond === "accepted" ? { odd: `over ${max}` } : narrow(usual + 1, max + 1, limits);
}

function stopped(tried: Extract<Tried, object>): Largest {
  return "cut" in tried ? { odd: tried.cut } : tried;
}

/** Narrows a limit down. @param accepted a size that is accepted @param refused a larger size that is refused */
export async function narrow(
  accepted: number,
  refused: number,
  { attempt, hints }: Pick<Limits, "attempt" | "hints">,
): Promise<Largest> {
  let [low, high] = [accepted, refused];
  const tried = new Set<number>();
  for (; high - low > 1;) {
    const isNew = (size: number): boolean => size > low && size < high && !tried.has(size);
    const hinted = hints().flatMap((hint) => [hint, hint + 1]);
    const size = hinted.find(isNew) ?? Math.floor((low + high) / 2);
    tried.add(size);
    const result = await attempt(size);
    if (result === "accepted") low = size;
    else if (result === "refused") high = size;
    else if ("cut" in result) return { odd: result.cut };
    else return { unclear: `between ${low} and ${high - 1}: ${result.unclear}` };
  }
  return { largest: low };
}

/** Returns the whole numbers in a text. */
export function numbersIn(text: string): number[] {
  return (text.match(/\d{1,5}/g) ?? []).map(Number);
}
