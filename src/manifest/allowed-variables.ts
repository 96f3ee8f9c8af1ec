export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a manifest may read. */
export interface VariableRules {
  readonly env: Environment;
  /** Only variables that begin with it; undefined for all but those that look like secrets. */
  readonly prefix?: string | undefined;
}

/** Secrets of sendctl itself: what is applied would put them where others read them. */
export const secretVariables: readonly string[] = ["SENDCTL_SECRET_KEY", "PGPASSWORD"];

const secretName =
  /(?:^|_)(?:SECRETS?|PASSWORD|PASSWD|PWD|PASSPHRASE|TOKEN|CREDENTIALS?|(?:PRIVATE|ACCESS|API|SIGNING|ENCRYPTION)_?KEY)(?:_|$)/i;

/** An address like postgres://USER:PASSWORD@HOST, or one with a password in its query. */
const addressWithPassword =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*:[^/?#@]+@|[^#]*[?&]password=[^&#])/i;

/** In characters: a shorter secret may be part of any text by chance. */
const shortestSecret = 8;

/** Returns why a manifest may not read a variable, which is set; undefined where it may. */
export function refusalOf(name: string, { env, prefix }: VariableRules): string | undefined {
  const refused = `\${${name}} is refused: `;
  const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? "";
  if (secretVariables.includes(name)) return `${refused}a secret does not belong in a manifest`;
  if (addressWithPassword.test(value)) return `${refused}its value is an address with a password`;
  const held = secretVariables.find((other) => {
    const secret = env[other] ?? "";
    return secret.length >= shortestSecret && value.includes(secret);
  });
  if (held !== undefined) return `${refused}its value contains that of ${held}`;
  if (prefix !== undefined) {
    if (name.startsWith(prefix)) return undefined;
    return `${refused}--env-prefix allows only variables that begin with ${prefix}`;
  }
  if (!secretName.test(name) || name === "PWD" || name === "OLDPWD") return undefined;
  return `${refused}its name is that of a secret; --env-prefix ${name} allows it`;
}
