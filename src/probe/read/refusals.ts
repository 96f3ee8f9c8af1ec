import { hidden, type Verdicts } from "../findings.ts";
import type { Bench, Experiment } from "../experiment.ts";
import { groupList, idOf, senderIdList, type FirstLists } from "../list-page.ts";
import { whyUnclear } from "../outcome.ts";

/** Requests without a key, with an unknown one, and for unknown paths and records. The evidence shows what they find. */
export const refusedRequests: Experiment = {
  finds: ["no_key_status", "unknown_key_status"],
  how: "requests that a service refuses",
  run: async ({ session, evidence, target, lists }): Promise<Verdicts> => {
    const { isHttp, hex } = target;
    const name = `sendctl-probe-${hex(12)}`;
    const requests = [
      ["no_key", "a request without a key", groupList, "none"],
      ["unknown_key", "a random key", groupList, "unknown"],
      ["unknown_path", "an unknown path", `/v1/${name}`, "own"],
      ["not_found", "an unknown group", `${groupList}/${unusedId(lists, hex)}`, "own"],
      ["not_found", "an unknown sender ID", `${senderIdList}/${name}`, "own"],
    ] as const;
    for (const [cause, label, path, key] of requests) {
      if (isHttp || key === "own") evidence.note(cause, label, await session.get(path, key));
    }
    const unchecked = hidden("only `serve` checks keys");
    return isHttp ? {} : { no_key_status: unchecked, unknown_key_status: unchecked };
  },
};

/** Returns an id that no group is likely to have, and that fits into 31 bits if the others do. */
function unusedId({ groups }: FirstLists, hex: (digits: number) => string): string {
  const ids = groups.records.map((record) => idOf(record) ?? "");
  const numbers = ids.filter((id) => /^\d{1,30}$/.test(id)).map(BigInt);
  const largest = numbers.reduce((max, id) => (id > max ? id : max), 0n);
  const random = BigInt(Number.parseInt(hex(6), 16));
  return String(
    largest < 1_000_000_000n ? 2_100_000_000n + random : largest + 1_000_000_000n + random,
  );
}

/** Fetches an existing sender ID by its name, and by its name in the other case: ruling 5. */
export const letterCase: Experiment = {
  finds: [],
  how: "a listed sender ID, by its name in other letter case",
  run: async ({ session, evidence, findings, lists }) => {
    const put = (observed: string | undefined, how: string): Verdicts => {
      const topic = "letter case of a sender ID's name in a path";
      findings.other({ number: 5, topic, engine: "exact" }, observed, how);
      return {};
    };
    const name = nameWithLetters(lists);
    if (name === undefined) {
      return put(undefined, "not observable: no suitable sender ID is listed");
    }
    const exact = await session.get(pathOf(name));
    if (exact.kind !== "success") {
      return put(undefined, `a listed sender ID by its exact name: ${whyUnclear(exact)}`);
    }
    const other = await session.get(pathOf(swapCase(name)));
    evidence.note("other", "a sender ID in other letter case", other);
    if (other.kind !== "success" && other.kind !== "refused") {
      return put(undefined, whyUnclear(other));
    }
    return put(other.kind === "success" ? "any case" : "exact", letterCase.how);
  },
};

/** Returns the name of a sender ID that no other one has in another case; undefined without one. */
function nameWithLetters({ senderIds }: FirstLists): string | undefined {
  const names = (senderIds?.records ?? []).flatMap(({ name }) =>
    typeof name === "string" ? [name] : [],
  );
  const counts = new Map<string, number>();
  for (const name of names.map((one) => one.toLowerCase())) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return names.find(
    (name) => /^[\w -]+$/.test(name) && /[a-z]/i.test(name) && counts.get(name.toLowerCase()) === 1,
  );
}

function swapCase(text: string): string {
  return text.replace(/[a-z]|[A-Z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

function pathOf(name: string): string {
  return `${senderIdList}/${encodeURIComponent(name)}`;
}

/** Requests paths outside of `/v1`: ruling 26. */
export const otherPaths: Experiment = {
  finds: [],
  how: "paths outside of /v1",
  run: async ({ session, findings, target }: Bench) => {
    const version = `/v${2 + Number.parseInt(target.hex(2), 16)}/group`;
    for (const [topic, engine, path, key] of [
      ["paths of another version", "HTTP 404", version, "own"],
      ["/healthz", "HTTP 200", "/healthz", "none"],
    ] as const) {
      const outcome = await session.get(path, key);
      const isOdd = outcome.kind === "refused" && outcome.status < 300;
      const observed =
        outcome.kind === "missing"
          ? undefined
          : `HTTP ${outcome.status}${isOdd ? " with status false" : ""}`;
      const how = observed === undefined ? whyUnclear(outcome) : `GET ${path}`;
      findings.other({ number: 26, topic, engine }, observed, how);
    }
    return {};
  },
};
