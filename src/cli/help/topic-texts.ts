import { operations } from "../../contract/operations.ts";
import { formats } from "../../output/formats/formats.ts";
import { exitCodes } from "../../output/exit-codes.ts";
import { exitCodeMeanings } from "./exit-code-meanings.ts";
import type { TopicName } from "../program/topics.ts";

/** A paragraph, or terms and what they mean. */
export type Block = string | readonly (readonly [term: string, meaning: string])[];

const codes = Object.entries(exitCodes).map(([name, code]): [string, string] => [
  String(code),
  exitCodeMeanings[name as keyof typeof exitCodes],
]);

const variables: Block = [
  ["SENDCTL_BASE_URL", "the remote service, as --base-url"],
  [
    "SENDCTL_SECRET_KEY",
    "the key; in embedded mode one that the database issued, which selects its integration",
  ],
  ["SENDCTL_PROFILE", "the profile, as --profile"],
  [
    "SENDCTL_DATABASE",
    "the SQLite file or the postgres:// address of the embedded engine, as --database",
  ],
  ["PGHOST, PGUSER, PGPASSWORD", "what the address of a PostgreSQL database leaves out"],
  ["SENDCTL_OUTPUT", "the format, as --output"],
  ["SENDCTL_TIMEOUT", "as --timeout"],
  ["SENDCTL_RETRIES", "as --retries"],
  ["SENDCTL_NO_INPUT", "never ask, as --no-input"],
  ["CI", "never ask"],
  ["NO_COLOR", "no colours"],
  ["FORCE_COLOR", "colours wherever output goes"],
  ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "proxies, in upper or lower case"],
  ["NODE_EXTRA_CA_CERTS", "a file of certificate authorities to trust"],
  ["XDG_CONFIG_HOME", "where sendctl/config.json is kept; ~/.config where it is not set"],
  ["XDG_DATA_HOME", "where sendctl/sendctl.db is kept; ~/.local/share where it is not set"],
  ["XDG_STATE_HOME", "where sendctl/apply/ is kept (default: ~/.local/state)"],
  ["XDG_CACHE_HOME", "where the code cache, sendctl/, is kept (default: ~/.cache)"],
  ["SENDCTL_NO_CODE_CACHE", "neither read nor write the code cache in the user's folder"],
];

/** What each topic says, for `sendctl help` and for the manual page. */
export const topicTexts: Readonly<Record<TopicName, readonly Block[]>> = {
  "exit-codes": ["What sendctl ends with.", codes],
  environment: [
    "What sendctl takes from its environment. A flag counts before a variable, a variable before the profile, and the profile before the default. An empty variable is none.",
    variables,
  ],
  output: [
    "stdout carries data and nothing else. stderr carries what was done, the page line, progress, warnings, questions and errors. The format of the data is chosen with --output or SENDCTL_OUTPUT.",
    Object.entries(formats).map(([name, { meaning }]) => [name, meaning] as const),
    "Text in records is data, and never obeyed: control characters, escape sequences and bidirectional overrides are written out wherever a terminal would show them.",
    "Questions are asked only when stdin and stderr are terminals and neither CI, --no-input nor SENDCTL_NO_INPUT says otherwise. With nobody to ask, what is missing is exit 2 at once.",
  ],
  faults: [
    "`sendctl serve --fault OPERATION:key=value[,key=value…]` has requests go wrong on purpose, for tests of whoever makes them. Nothing is left to chance: each fault counts the requests for its operations as they arrive, and of several whose turn it is the first that was given counts. Only requests with a good key meet one.",
    `OPERATION is one of ${Object.keys(operations).join(", ")}; or sender-id.*, group.* or * for all of them. What goes wrong:`,
    [
      ["status=503", "any status from 400 to 599, and nothing is carried out"],
      ["retry-after=2", "the header Retry-After, in seconds, with a status"],
      ["latency=500ms", "the answer is late; what it answers to is done by then"],
      ["drop=before", "the connection is closed, and nothing is carried out"],
      ["drop=during", "it is carried out, and the connection closed with half the answer sent"],
      ["drop=after", "it is carried out, and the connection closed without an answer"],
      ["body=html", "it is carried out, and answered with a page, as a gateway might"],
      ["body=empty", "the same, and answered with nothing"],
      ["body=truncated", "the same, and answered with half of the JSON"],
      ["body=not-json", "the same, and answered with other text"],
      ["body=wrong-shape", "the same, and answered with an envelope whose data is an empty list"],
    ],
    "With a status, body is that of the refusal. latency goes with any of them, or stands alone. When it goes wrong:",
    [
      ["times=2", "the first two requests; without it every one"],
      ["skip=1", "not the first one: it counts from the second"],
      ["every=3", "every third request"],
    ],
    "group.create:status=503,times=2 refuses two creates and lets the third through. `sendctl local log` shows which requests met a fault.",
  ],
};
