import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** Calls whose texts nobody reads as a sentence, and files that hold programs in another language. */
const unread =
  /^(?:\w*[sS]ql|prepare|exec|query|pragma|test|RegExp|Error|TypeError|require|import|get|run)$/;
const foreign =
  /migrations\.ts$|expected-schema\.ts$|completion\/scripts\.ts$|seed\/countries\.ts$|\.d\.ts$/;
const statement =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|PRAGMA|BEGIN|COMMIT|ROLLBACK|SET|LOCK|ATTACH|VACUUM|LISTEN|FROM|WHERE|AND|ORDER|TRUNCATE|SAVEPOINT|RELEASE|ON CONFLICT|VALUES|START|SHOW|DETACH|ANALYZE|RETURNING|COPY|LEFT|JOIN)\b/;

interface Node {
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [key: string]: any;
}

function textOf(node: Node, source: string): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  const quasis = node["quasis"] as Node[];
  return quasis
    .map(({ value }, index) => {
      const hole = node["expressions"][index];
      if (hole === undefined) return value.cooked as string;
      const code = source.slice(hole.start, hole.end).replaceAll(/\s+/g, " ");
      return `${value.cooked}{${code.length > 40 ? "…" : code}}`;
    })
    .join("");
}

/** Whether a text is a sentence or a phrase: two words in a row. */
function isProse(text: string): boolean {
  return /[a-z]{2,}[,:]? +[a-zA-Z({"`<]/.test(text) && !statement.test(text);
}

function nameOf(node: Node): string {
  if (node.type === "Identifier") return node["name"];
  if (node.type === "MemberExpression") return node["property"].name ?? "";
  return node.type === "Literal" ? String(node["value"]) : "";
}

/** Returns a text without line breaks and other control characters. */
function onOneLine(text: string): string {
  return text.replaceAll("\n", "⏎").replaceAll(/\p{Cc}/gu, "�");
}

const wrappers = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/**
 * Returns the texts of a TypeScript file with what each is: the kind of an error and its hint, the property
 * that holds it, or the function that it is passed to.
 */
function messagesOf(source: string): string[] {
  const lines: string[] = [];

  const walkCall = (node: Node, role: string): void => {
    const callee = nameOf(node["callee"]);
    const args = node["arguments"] as Node[];
    if (unread.test(callee)) {
      walk(
        args.filter(({ type }) => !type.endsWith("Literal")),
        role,
      );
      return;
    }
    walk(node["callee"], role);
    const isError = callee === "SendctlError";
    const kind = args[0]?.type === "Literal" ? args[0]["value"] : "…";
    walk(args, isError ? `error ${kind}` : callee);
  };

  const walk = (node: unknown, role: string): void => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const one of node) walk(one, role);
      return;
    }
    if (!("type" in node)) return;
    const { type } = node as Node;
    const one = node as Node;
    const text = textOf(one, source);
    if (text !== undefined && isProse(text)) lines.push(`${role}: ${onOneLine(text)}`);
    if (type === "TemplateLiteral") walk(one["expressions"], role);
    else if (wrappers.has(type)) walk(one["expression"], role);
    else if (type.startsWith("TS") || type.startsWith("Import")) return;
    else if (type === "NewExpression" || type === "CallExpression") walkCall(one, role);
    else if (type === "Property") {
      const key = nameOf(one["key"]);
      const isIndex = /^(?:\d+|[A-Z_]+)$/.test(key) || one["computed"] === true;
      walk(one["value"], isIndex ? role : key);
    } else if (type === "VariableDeclarator") walk(one["init"], nameOf(one["id"]) || role);
    else if (type === "FunctionDeclaration") walk(one["body"], nameOf(one["id"]));
    else if (text === undefined) for (const part of Object.values(one)) walk(part, role);
  };

  walk(parseAst(source, { lang: "ts" }).body, "");
  return lines;
}

/** Returns every text of the program that people read, file by file. */
export function messages(): string {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((file) => join("src", file).replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts") && !foreign.test(file))
    .toSorted();
  return files
    .map((file) => ({ file, lines: messagesOf(readFileSync(file, "utf8")) }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ file, lines }) => `${file}\n${lines.map((line) => `  ${line}\n`).join("")}`)
    .join("\n");
}
