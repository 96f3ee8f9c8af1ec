/** The functions of cli-table3 that bordered.ts replaces; its types cover the main module. */
declare module "cli-table3/src/utils.js" {
  interface Measures {
    strlen: (text: string) => number;
    truncate: (text: string, width: number, ellipsis: string) => string;
    pad: (text: string, width: number, filler: string, align: string) => string;
  }
  const measures: Measures;
  export default measures;
}

declare module "jmespath" {
  /** @throws Error if the expression is invalid */
  export function compile(expression: string): unknown;
  /** @throws Error if the expression is invalid or does not apply to the value */
  export function search(value: unknown, expression: string): unknown;
}
