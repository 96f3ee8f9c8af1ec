declare module "jmespath" {
  /** @throws Error if the expression is invalid */
  export function compile(expression: string): unknown;
  /** @throws Error if the expression is invalid or does not apply to the value */
  export function search(value: unknown, expression: string): unknown;
}
