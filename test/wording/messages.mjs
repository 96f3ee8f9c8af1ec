import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** Calls whose texts nobody reads as a sentence, and files that hold programs in another language. */
const unread =
  /^(?:\w*[sS]ql|prepare|exec|query|pragma|test|RegExp|Error|TypeError|require|import|get|run)$/;
const foreign = /migrations\.ts$|completion\/scripts\.ts$|seed\/countries\.ts$|\.d\.ts$/;
const statement =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|PRAGMA|BEGIN|COMMIT|ROLLBACK|SET|LOCK|ATTACH|VACUUM|LISTEN|FROM|WHERE|AND|ORDER|TRUNCATE|SAVEPOINT|RELEASE|ON CONFLICT|VALUES|START|SHOW|DETACH|ANALYZE|RETURNING|COPY|LEFT|JOIN)\b/;

/** @typedef {{ type: string, [key: string]: any }} Node */

/** @param {Node} node @param {string} source */
function textOf(node, source) {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral") return undefined;
  return node.quasis
    .map((/** @type {Node} */ { value }, /** @type {number} */ index) => {
      const hole = node.expressions[index];
      if (hole === undefined) return value.cooked;
      const code = source.slice(hole.start, hole.end).replaceAll(/\s+/g, " ");
      return `${value.cooked}{${code.length > 40 ? "…" : code}}`;
    })
    .join("");
}

/** Whether a text is a sentence or a phrase: two words in a row. @param {string} text */
function isProse(text) {
  return /[a-z]{2,}[,:]? +(?:[a-z({"`<]|[A-Z])/.test(text) && !statement.test(text);
}

/** @param {Node} node */
function nameOf(node) {
  if (node.type === "Identifier") return node.name;
  if (node.type === "MemberExpression") return node.property.name ?? "";
  if (node.type === "Literal") return String(node.value);
  return "";
}

/**
 * Returns the texts of a file with what each is: the kind of an error and its hint, the property that holds
 * it, or the function that it is handed to.
 *
 * @param {string} source TypeScript
 * @returns {string[]}
 */
function messagesOf(source) {
  /** @type {string[]} */
  const lines = [];
  /** @param {string} role @param {string} text */
  const add = (role, text) => lines.push(`${role}: ${text.replaceAll("\n", "⏎")}`);

  /** @param {Node | null | undefined} node @param {string} role */
  const walk = (node, role) => {
    if (node === null || typeof node !== "object" || node instanceof RegExp) return;
    if (Array.isArray(node)) {
      for (const one of node) walk(one, role);
      return;
    }
    const text = textOf(node, source);
    if (text !== undefined) {
      if (isProse(text)) add(role, text);
      if (node.type === "TemplateLiteral") walk(node.expressions, role);
      return;
    }
    const { type } = node;
    if (type === undefined) return;
    if (type === "ImportDeclaration" || type === "ImportExpression" || type.startsWith("TS")) {
      if (
        type === "TSAsExpression" ||
        type === "TSSatisfiesExpression" ||
        type === "TSNonNullExpression"
      ) {
        walk(node.expression, role);
      }
      return;
    }
    if (type === "NewExpression" || type === "CallExpression") {
      const callee = nameOf(node.callee);
      if (unread.test(callee)) {
        for (const one of node.arguments) if (!/Literal/.test(one.type)) walk(one, role);
        return;
      }
      walk(node.callee, role);
      const [kind] = node.arguments;
      const isError = callee === "SendctlError";
      const isKind = isError && kind?.type === "Literal";
      for (const one of node.arguments)
        walk(one, isError ? `error ${isKind ? kind.value : "…"}` : callee);
      return;
    }
    if (type === "Property") {
      const key = nameOf(node.key);
      const isIndex = /^(?:\d+|[A-Z_]+)$/.test(key) || node.computed;
      walk(node.value, isIndex ? role : key);
      return;
    }
    if (type === "VariableDeclarator") return walk(node.init, nameOf(node.id) || role);
    if (type === "FunctionDeclaration") return walk(node.body, nameOf(node.id));
    for (const [key, value] of Object.entries(node)) {
      if (key !== "typeAnnotation" && key !== "returnType" && typeof value === "object")
        walk(value, role);
    }
  };
  walk(parseAst(source, { lang: "ts" }).body, "");
  return lines;
}

/** Returns every text of the program that people read, file by file. */
export function messages() {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((file) => join("src", file).replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts") && !foreign.test(file))
    .toSorted();
  return files
    .map((file) => [file, messagesOf(readFileSync(file, "utf8"))])
    .filter(([, lines]) => lines.length > 0)
    .map(
      ([file, lines]) =>
        `${file}\n${/** @type {string[]} */ (lines).map((line) => `  ${line}\n`).join("")}`,
    )
    .join("\n");
}
