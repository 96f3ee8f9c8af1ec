/** Values from the environment: `${NAME}` in a text of a manifest, and `$${` for a literal `${`. */

export const variableName = "[A-Za-z_][A-Za-z0-9_]*";

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
const minSecretLength = 8;

const reference = new RegExp(`\\$\\$\\{|\\$\\{(${variableName})\\}|\\$\\{`, "g");
const alone = new RegExp(`^\\$\\{(${variableName})\\}$`);

export interface Expanded {
  readonly text: string;
  /** The variables that are in it. */
  readonly names: readonly string[];
}

/**
 * @param rules the variables, and which of them may be read
 * @param most how much longer the text may become; one that becomes longer is left unfinished
 * @returns the text with every variable replaced, or what is wrong: all of it, in order
 */
export function expand(
  text: string,
  rules: VariableRules,
  most: number,
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
      messages.add("${ begins a variable, like ${NAME}: write $${ where it is meant literally");
    } else {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      const refusal = refusalOf(name, rules);
      if (refusal !== undefined) messages.add(refusal);
      else if (value === undefined) messages.add(`\${${name}} is not set in the environment`);
      else {
        if (!names.includes(name)) names.push(name);
        parts.push(value);
        added += value.length;
        if (added > text.length + most) break;
      }
    }
  }
  parts.push(text.slice(from));
  return messages.size > 0 ? { messages: [...messages] } : { text: parts.join(""), names };
}

/** Whether a text is one variable and nothing else: it can stand for what is no text. */
export function isVariable(text: string): boolean {
  return alone.test(text);
}

/** A text that `expand` makes the given one of. */
export function literal(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** Returns why a manifest may not read a variable, which is set; undefined where it may. */
function refusalOf(name: string, { env, prefix }: VariableRules): string | undefined {
  const refused = `\${${name}} is refused: `;
  const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? "";
  if (secretVariables.includes(name)) return `${refused}a secret does not belong in a manifest`;
  if (addressWithPassword.test(value)) return `${refused}its value is an address with a password`;
  const held = secretVariables.find((other) => {
    const secret = env[other] ?? "";
    return secret.length >= minSecretLength && value.includes(secret);
  });
  if (held !== undefined) return `${refused}its value contains that of ${held}`;
  if (prefix !== undefined) {
    if (name.startsWith(prefix)) return undefined;
    return `${refused}--env-prefix allows only variables that begin with ${prefix}`;
  }
  if (!secretName.test(name) || name === "PWD" || name === "OLDPWD") return undefined;
  return `${refused}its name is that of a secret; --env-prefix ${name} allows it`;
}
