import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import type { Passed } from "../relay.ts";
import { openOverSocket } from "../transports.ts";

/** The OpenAPI document of our server, saved to a file. */
interface Document {
  readonly text: string;
  readonly file: string;
  readonly close: () => Promise<void>;
}

export async function fetchDocument(): Promise<Document> {
  const { baseUrl, close } = await openOverSocket();
  const text = await (await fetch(`${baseUrl}/openapi.json`)).text();
  await close();
  const folder = await mkdtemp(join(tmpdir(), "sendctl-openapi-"));
  const file = join(folder, "openapi.json");
  await writeFile(file, text);
  return { text, file, close: () => rm(folder, { recursive: true }) };
}

/** Prism, which checks requests and responses against the OpenAPI document alone. */
export interface Prism {
  readonly baseUrl: string;
  /** Its output so far. */
  readonly log: () => string;
  readonly close: () => Promise<void>;
}

const ready = /Prism is listening on (http:\/\/\S+:\d+)/;

/**
 * Starts Prism on a free port.
 *
 * @param args its command: `mock FILE` or `proxy FILE URL`
 * @throws with its output if it ends before it is ready
 */
export async function startPrism(...args: readonly string[]): Promise<Prism> {
  const prism = execa("prism", [...args, "--errors", "--port", "0"], {
    preferLocal: true,
    localDir: import.meta.dirname,
    all: true,
    buffer: false,
    reject: false,
    env: { FORCE_COLOR: "0", NO_COLOR: "1" },
  });
  let output = "";
  const baseUrl = await new Promise<string>((resolve, reject) => {
    prism.all.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const address = ready.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    });
    void prism.then(() => reject(new Error(`Prism did not start: ${output}`)));
  });
  const close = async (): Promise<void> => {
    prism.kill();
    await prism;
  };
  return { baseUrl, log: () => output, close };
}

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

/** Returns Prism's violations of the request or of the response, of any severity. */
export function violationsOf({ headers }: Passed, where: "request" | "response"): Violation[] {
  const violations = JSON.parse(String(headers["sl-violations"] ?? "[]")) as Violation[];
  return violations.filter(({ location }) => location[0] === where);
}
