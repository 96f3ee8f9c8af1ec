/** Matches numbers that a double may not represent exactly. */
const longNumber = /[0-9]{16}/;

/**
 * Parses JSON, with integers too long for a double as BigInt, so that no digits are lost. Returns undefined for text
 * that is not JSON.
 */
export async function parseJson(text: string): Promise<unknown> {
  try {
    if (!longNumber.test(text)) return JSON.parse(text) as unknown;
    const { isSafeNumber, parse: parseLossless } = await import("lossless-json");
    return parseLossless(text, undefined, {
      parseNumber: (digits) =>
        isSafeNumber(digits) || !/^-?\d+$/.test(digits) ? Number(digits) : BigInt(digits),
    });
  } catch {
    return undefined;
  }
}
