/** Environment variables in manifests: `${NAME}` in a text; `$${` stands for a literal `${`. */

export const variableName = "[A-Za-z_][A-Za-z0-9_]*";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a manifest may read. */
export interface VariableRules {
  readonly env: Environment;
  /** Allows only variables with this prefix; undefined allows all but those that look like secrets. */
  readonly prefix?: string | undefined;
}

/** Secrets of sendctl itself. Applying a manifest would expose them to everyone who can read the records. */
export const secretVariables: readonly string[] = ["SENDCTL_SECRET_KEY", "PGPASSWORD"];

const secretName =
  /(?:^|_)(?:SECRETS?|PASSWORD|PASSWD|PWD|PASSPHRASE|TOKEN|CREDENTIALS?|(?:PRIVATE|ACCESS|API|SIGNING|ENCRYPTION)_?KEY)(?:_|$)/i;

/** An address like postgres://USER:PASSWORD@HOST, or one with a password in its query. */
const addressWithPassword =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@:]*:[^/?#@]+@|[^#]*[?&]password=[^&#])/i;

/** In UTF-16 units. Shorter secrets occur in other texts by chance. */
const minSecretLength = 8;

const reference = new RegExp(`\\$\\$\\{|\\$\\{(${variableName})\\}|\\$\\{`, "g");
const alone = new RegExp(`^\\$\\{(${variableName})\\}$`);

export interface Expanded {
  readonly text: string;
  /** Names of the variables that were replaced. */
  readonly names: readonly string[];
}

/**
 * Replaces the variables of a text.
 *
 * @param maxAdded maximum growth in UTF-16 units; expansion stops soon after it
 * @returns the expanded text, or the messages of all problems in order
 */
export function expand(
  text: string,
  rules: VariableRules,
  maxAdded: number,
): Expanded | { readonly messages: readonly string[] } {
  if (!text.includes("${")) return { text, names: [] };
  const { env } = rules;
  const names: string[] = [];
  const messages = new Set<string>();
  const parts: string[] = [];
  let from = 0;
  let added = 0;
  for (const { 0: found, 1: name, index } of text.matchAll(reference)) {
    parts.push(text.slice(from, index));
    from = index + found.length;
    if (found === "$${") parts.push("${");
    else if (name === undefined) {
      messages.add("invalid variable: write ${NAME}, or $${ for a literal ${");
    } else {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      const refusal = refusalOf(name, rules);
      if (refusal !== undefined) messages.add(refusal);
      else if (value === undefined) messages.add(`\${${name}} is not set in the environment`);
      else {
        if (!names.includes(name)) names.push(name);
        parts.push(value);
        added += value.length;
        if (added > text.length + maxAdded) break;
      }
    }
  }
  parts.push(text.slice(from));
  return messages.size > 0 ? { messages: [...messages] } : { text: parts.join(""), names };
}

/** Returns whether a text is a single variable, which can stand for a value of any type. */
export function isVariable(text: string): boolean {
  return alone.test(text);
}

/** Escapes a text so that `expand` returns it unchanged. */
export function literal(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** Returns why a manifest may not use a variable; undefined if it may. */
function refusalOf(name: string, { env, prefix }: VariableRules): string | undefined {
  const refused = `\${${name}} is refused: `;
  const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? "";
  if (secretVariables.includes(name)) return `${refused}a manifest must not contain secrets`;
  if (addressWithPassword.test(value)) return `${refused}its value is an address with a password`;
  const contained = secretVariables.find((other) => {
    const secret = env[other] ?? "";
    return secret.length >= minSecretLength && value.includes(secret);
  });
  if (contained !== undefined) return `${refused}its value contains the value of ${contained}`;
  if (prefix !== undefined) {
    if (name.startsWith(prefix)) return undefined;
    return `${refused}--env-prefix allows only variables that start with ${prefix}`;
  }
  if (!secretName.test(name) || name === "PWD" || name === "OLDPWD") return undefined;
  return `${refused}its name looks like that of a secret; pass --env-prefix ${name} to allow it`;
}
