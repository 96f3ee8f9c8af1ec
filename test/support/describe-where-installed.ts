import { describe, expect, test } from "vitest";

/** In CI, a test that cannot run fails, because nobody would notice that it was skipped. */
const isCi = !["", "false", undefined].includes(process.env["CI"]);

/** A program that is not a dependency of the package. */
interface Required {
  readonly name: string;
  /** Why it cannot be started; undefined if it can. */
  readonly whyMissing: string | undefined;
  /** The package of Debian and Ubuntu. */
  readonly debianPackage: string;
}

/**
 * Runs tests that need a program. Without it they are skipped, or replaced by a failing test if the environment
 * variable CI is set.
 *
 * @param where prefix of the titles of the tests
 */
export function describeWhereInstalled(
  { name, whyMissing, debianPackage }: Required,
  where: string,
  body: () => void | Promise<void>,
): void {
  const expectProgram = (): void => {
    test("a server can be started", () => {
      const install =
        `install ${name} (Debian, Ubuntu: apt-get install ${debianPackage}), ` +
        "or unset CI to skip the tests that need it";
      expect(whyMissing, install).toBeUndefined();
    });
  };
  const isSkipped = whyMissing !== undefined && !isCi;
  const describeHere = isSkipped ? describe.skip : describe;
  const title = isSkipped ? `${where} (SKIPPED: ${whyMissing})` : where;
  describeHere(title, whyMissing !== undefined && isCi ? expectProgram : body);
}
