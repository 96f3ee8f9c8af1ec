import { Help } from "commander";
import { minHelpWidth } from "../../output/terminal.ts";
import { operations } from "../../contract/operations.ts";
import { formats } from "../../output/formats/formats.ts";
import { exitCodes } from "../../output/exit-codes.ts";
import { globalOptionTerms } from "../program/build-command.ts";
import type { TopicName } from "../registry.ts";

/** A paragraph, or a list of terms and their meanings. */
export type Block = string | readonly (readonly [term: string, meaning: string])[];

/** The meaning of each exit code. */
const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "done",
  defect: "a defect in sendctl, or standard output cannot be written",
  usage: "usage: invalid arguments, settings or files, or missing input; nothing was sent",
  auth: "no key, or the service rejected it (401, 403)",
  not_found: "not found (404, 410)",
  conflict: "conflict (409)",
  invalid: "rejected as invalid (400, 413, 415, 422, any other 4xx, or a 2xx with status false)",
  rate_limited: "rate limited (429)",
  unavailable:
    "unavailable: no connection, timeout or 5xx of the service; nothing was changed, except what the command reports as done or incomplete",
  outcome_unknown:
    "outcome unknown: a write was sent, but the response is missing, broken or a gateway's 5xx; stderr shows how to check",
  unexpected_response:
    "unexpected response, or the stored values differ from those sent; a write may have been carried out",
  database:
    "the database cannot be used: locked, damaged, unreachable, not a database, of another version, or the disk is full",
  differences:
    "diff found differences, apply left some that need --replace, or a reviewed plan is out of date",
  wait: "wait timed out, or the sender ID was REJECTED",
  not_runnable: "the command of local run cannot be run",
  no_program: "the command of local run was not found",
  hung_up: "the terminal was closed (SIGHUP)",
  cancelled: "cancelled (Ctrl-C, SIGINT), or a confirmation was declined",
  quit: "quit at a prompt (Ctrl-\\, SIGQUIT)",
  terminated: "terminated (SIGTERM)",
};

const codes = Object.entries(exitCodes).map(([name, code]): [string, string] => [
  String(code),
  exitCodeMeanings[name as keyof typeof exitCodes],
]);

const variables: Block = [
  ["SENDCTL_BASE_URL", "the remote service, as --base-url"],
  [
    "SENDCTL_SECRET_KEY",
    "the secret key; for the embedded engine, a key that it issued, which selects the integration",
  ],
  ["SENDCTL_PROFILE", "the profile, as --profile"],
  [
    "SENDCTL_DATABASE",
    "the SQLite file or postgres:// address of the embedded engine, as --database",
  ],
  ["PGHOST, PGUSER, PGPASSWORD", "defaults for the parts that a postgres:// address omits"],
  ["SENDCTL_OUTPUT", "the output format, as --output"],
  ["SENDCTL_TIMEOUT", "as --timeout"],
  ["SENDCTL_RETRIES", "as --retries"],
  ["SENDCTL_READ_ONLY", "refuse every change, as --read-only"],
  ["SENDCTL_NO_HISTORY", "do not journal changes for history and undo"],
  ["SENDCTL_NO_INPUT", "never ask for input, as --no-input"],
  ["SENDCTL_PAGER, PAGER", "the program that shows lists at a terminal; cat or nothing for none"],
  [
    "SENDCTL_ACCESSIBLE",
    "plain lines only, as for screen readers: no colours, borders or redrawing; also with TERM=dumb",
  ],
  ["CI", "never ask for input"],
  ["NO_COLOR", "no colours"],
  ["FORCE_COLOR", "colours even if the output is not a terminal"],
  ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "proxies, in upper or lower case"],
  ["NODE_EXTRA_CA_CERTS", "a file of certificate authorities to trust"],
  ["XDG_CONFIG_HOME", "folder of sendctl/config.json (default: ~/.config)"],
  ["XDG_DATA_HOME", "folder of sendctl/sendctl.db (default: ~/.local/share)"],
  [
    "XDG_STATE_HOME",
    "folder of sendctl/apply/, services/, shows-sender-id/, warned/ and history.jsonl (default: ~/.local/state)",
  ],
  ["XDG_CACHE_HOME", "folder of sendctl/, the code cache (default: ~/.cache)"],
  ["SENDCTL_CONTROL_URL", "set by --control for tests: see docs/testing.md"],
  ["SENDCTL_NO_CODE_CACHE", "do not use the code cache in the user's folder"],
];

/** The text of each topic, for `sendctl help` and the reference. */
export const topicTexts: Readonly<Record<TopicName, readonly Block[]>> = {
  options: ["Every command accepts these options, in any position.", globalOptionTerms],
  "exit-codes": ["The exit codes of sendctl.", codes],
  environment: [
    "The environment variables that sendctl reads. A flag overrides a variable, a variable overrides the profile, and the profile overrides the default. An empty variable counts as unset.",
    variables,
  ],
  output: [
    "Only data goes to stdout. Messages, the page line, progress, warnings, questions and errors go to stderr. --output or SENDCTL_OUTPUT selects the format of the data.",
    Object.entries(formats).map(([name, { meaning }]) => [name, meaning] as const),
    "Control characters, escape sequences and bidirectional overrides in records are escaped in output for a terminal.",
    "sendctl asks questions only if stdin and stderr are terminals and none of CI, --no-input and SENDCTL_NO_INPUT is set. Otherwise missing input is an error (exit 2).",
  ],
  faults: [
    "`sendctl serve --fault OPERATION:key=value[,key=value…]` makes requests fail on purpose, so that you can test your client. Each fault counts the requests for its operations in order of arrival. If several faults apply to a request, the first one given wins. Only requests with a valid key are affected.",
    `OPERATION is one of ${Object.keys(operations).join(", ")}; or sender-id.*, group.* or * for several. The faults:`,
    [
      ["status=503", "respond with this status, from 400 to 599, without executing the request"],
      ["retry-after=2", "add the header Retry-After, in seconds, to a status"],
      ["latency=500ms", "delay the response, after executing the request"],
      ["slow=10s", "execute the request, and spread the response body over this time"],
      ["drop=before", "close the connection without executing the request"],
      ["drop=during", "execute the request, and close the connection after half of the response"],
      ["drop=after", "execute the request, and close the connection without a response"],
      ["drop=reset", "reset the connection without executing the request"],
      ["body=html", "execute the request, and respond with HTML, like a gateway"],
      ["body=empty", "the same, with an empty response body"],
      ["body=truncated", "the same, with half of the JSON"],
      ["body=not-json", "the same, with text that is not JSON"],
      ["body=wrong-shape", "the same, with an envelope whose data is true"],
      ["body=@error.json", "the same, with the text of a file"],
      ["header=Name:value", "add a header to the response; may be repeated"],
    ],
    "With status, body changes the error response. latency can be combined with any other. Which requests fail:",
    [
      ["times=2", "the first two requests (default: every request)"],
      ["skip=1", "skip the first request, and count from the second"],
      ["every=3", "every third request"],
      ["chance=0.1", "one in ten, always the same ones; seed=7 selects others"],
      ["after=30s", "requests from 30 seconds after it was set"],
      ["for=10s", "requests in the 10 seconds after that"],
      ["name=Suppliers", "requests with this field in the path or body"],
    ],
    "group.create:status=503,times=2 rejects two creates and accepts the third. `sendctl local log` shows which requests an injected fault affected.",
  ],
};

/** Returns a topic as `sendctl help` prints it, wrapped to a width. */
export function topicPage(name: TopicName, columns: number): string {
  const help = new Help();
  help.minWidthToWrap = minHelpWidth;
  help.prepareContext({ helpWidth: columns });
  const blocks = topicTexts[name].map((block) => blockText(block, help, columns));
  return `${blocks.join("\n\n")}\n`;
}

function blockText(block: Block, help: Help, columns: number): string {
  if (typeof block === "string") return help.boxWrap(block, columns);
  const width = Math.max(...block.map(([term]) => term.length));
  return block.map(([term, meaning]) => help.formatItem(term, width, meaning, help)).join("\n");
}
