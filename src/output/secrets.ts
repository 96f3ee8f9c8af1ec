/** Text that must never be shown, and what is shown in its place. */
export interface Secrets {
  readonly add: (secret: string | undefined) => void;
  readonly hide: (text: string) => string;
}

/** In characters. Hiding what is shorter would only spoil other text. */
const shortest = 8;

export function createSecrets(): Secrets {
  const forms = new Set<string>();
  return {
    add: (secret) => {
      if (secret === undefined || secret.length < shortest) return;
      forms.add(secret);
      // As it stands in JSON and in a URL.
      forms.add(JSON.stringify(secret).slice(1, -1));
      if (secret.isWellFormed()) forms.add(encodeURIComponent(secret));
    },
    hide: (text) => {
      let shown = text;
      for (const form of forms) shown = shown.replaceAll(form, "[hidden]");
      return shown;
    },
  };
}
