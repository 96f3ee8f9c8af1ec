import type { Argument, Option } from "commander";
import { knownStatuses } from "../../commands/sender-id/statuses.ts";
import { formatNames } from "../../output/formats/formats.ts";
import { operations } from "../../contract/operations.ts";
import { plainly, type Candidate } from "./candidate.ts";

/** What a word has to be: one of these, or of what has to be looked up. */
export type Kind = readonly Candidate[] | "sender-id" | "group" | "profile" | "file" | "help";

const nothing: readonly Candidate[] = [];

const statuses = plainly(...knownStatuses);

const options: Readonly<Record<string, Kind>> = {
  "--output": plainly(...formatNames),
  "--for": statuses,
  "--status": statuses,
  "--sender-id": "sender-id",
  "--profile": "profile",
};

/** What the value of an option has to be. */
export function kindOfOption(option: Option): Kind {
  if (option.argChoices !== undefined) return plainly(...option.argChoices);
  const kind = options[option.long ?? ""];
  return kind ?? (/<file>$/i.test(option.flags) ? "file" : nothing);
}

/** Paths that hold no parameter. */
const paths = new Set(Object.values(operations).flatMap(({ path }) => /^[^{]+$/.exec(path) ?? []));
const methods = new Set(Object.values(operations).map(({ method }) => method));

/** By the words of a command and the name of its argument. The first that fits counts. */
const operands: readonly (readonly [words: RegExp, kind: Kind])[] = [
  [/ file(\.\w+)?$/i, "file"],
  [/^sender-id create /, nothing],
  [/^(sender-id \w+|local review) name$/i, "sender-id"],
  [/^group \w+ id$| group-id$/i, "group"],
  [/^profile \w+ name$/i, "profile"],
  [/^api method$/, plainly(...methods)],
  [/^api path$/, plainly(...paths)],
  [/^local run command$/, "file"],
  [/^help /, "help"],
];

/** What an argument of the command with these words has to be. */
export function kindOfArgument(path: readonly string[], argument: Argument): Kind {
  if (argument.argChoices !== undefined) return plainly(...argument.argChoices);
  const words = [...path, argument.name()].join(" ");
  return operands.find(([pattern]) => pattern.test(words))?.[1] ?? nothing;
}
