declare module "jmespath" {
  /** @throws Error where the expression is invalid */
  export function compile(expression: string): unknown;
  /** @throws Error where the expression is invalid, or does not fit the value */
  export function search(value: unknown, expression: string): unknown;
}
