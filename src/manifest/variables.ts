/** Environment variables in manifests: `${NAME}`; `${NAME:-}` may be empty; `$${` means `${`. */

export const variableName = "[A-Za-z_][A-Za-z0-9_]*";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a manifest may read. */
export interface VariableRules {
  readonly env: Environment;
  /** Allows only variables with this prefix; undefined: all but those that look like secrets. */
  readonly prefix?: string | undefined;
}

/** Secrets of sendctl itself. Applying them would expose them to all readers of the records. */
export const secretVariables: readonly string[] = [
  "SENDCTL_SECRET_KEY",
  "SENDCTL_CONTROL_URL",
  "PGPASSWORD",
];

const secretName =
  /(?:^|_)(?:SECRETS?|PASSWORD|PASSWD|PWD|PASSPHRASE|TOKEN|CREDENTIALS?|(?:PRIVATE|ACCESS|API|SIGNING|ENCRYPTION)_?KEY)(?:_|$)/i;

/** An address like postgres://USER:PASSWORD@HOST, or one with a password in its query. */
const addressWithPassword =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@:]*:[^/?#@]+@|[^#]*[?&]password=[^&#])/i;

/** In UTF-16 units. Shorter secrets occur in other texts by chance. */
const minSecretLength = 8;

const reference = new RegExp(`\\$\\$\\{|\\$\\{(${variableName})(:-)?\\}|\\$\\{`, "g");
const alone = new RegExp(`^\\$\\{(${variableName})(:-)?\\}$`);

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
  const names = new Set<string>();
  const messages = new Set<string>();
  let added = 0;
  const expanded = text.replace(reference, (found, name?: string, mayBeEmpty?: string) => {
    // The caller rejects such a text.
    if (added > text.length + maxAdded) return "";
    if (found === "$${") return "${";
    const isSet = name !== undefined && Object.hasOwn(rules.env, name);
    const value = isSet ? rules.env[name] : undefined;
    const problem = problemWith(name, value, rules, mayBeEmpty !== undefined);
    if (problem !== undefined) {
      messages.add(problem);
      return "";
    }
    names.add(name!);
    added += value?.length ?? 0;
    return value ?? "";
  });
  return messages.size > 0 ? { messages: [...messages] } : { text: expanded, names: [...names] };
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
function problemWith(
  name: string | undefined,
  value: string | undefined,
  { env, prefix }: VariableRules,
  mayBeEmpty: boolean,
): string | undefined {
  if (name === undefined)
    return "invalid variable: write ${NAME}, ${NAME:-} if it may be empty, or $${ for a literal ${";
  const refused = `\${${name}} is refused: `;
  if (secretVariables.includes(name)) return `${refused}a manifest must not contain secrets`;
  if (addressWithPassword.test(value ?? "")) {
    return `${refused}its value is an address with a password`;
  }
  const contained = secretVariables.find((variable) => {
    const secret = env[variable] ?? "";
    return secret.length >= minSecretLength && value?.includes(secret) === true;
  });
  if (contained !== undefined) return `${refused}its value contains the value of ${contained}`;
  if (prefix !== undefined && !name.startsWith(prefix)) {
    return `${refused}--env-prefix allows only variables that start with ${prefix}`;
  }
  if (prefix === undefined && secretName.test(name) && name !== "PWD" && name !== "OLDPWD") {
    return `${refused}its name looks like that of a secret; pass --env-prefix ${name} to allow it`;
  }
  if (mayBeEmpty || (value ?? "") !== "") return undefined;
  // A job has forgotten to set such a variable more often than it means an empty text.
  return value === undefined
    ? `\${${name}} is not set in the environment`
    : `\${${name}} is empty in the environment; write \${${name}:-} to allow that`;
}
