import { always200Gateway } from "./always-200-gateway.ts";
import { laravelStyle } from "./laravel-style.ts";
import { strictAndFlaky } from "./strict-and-flaky.ts";
import type { Switches } from "./switches.ts";

export const threeVendors = {
  laravel: laravelStyle,
  gateway: always200Gateway,
  strict: strictAndFlaky,
} satisfies Readonly<Record<string, Partial<Switches>>>;

export const vendorNames = Object.keys(threeVendors) as readonly (keyof typeof threeVendors)[];
