import { dirname, join, relative } from "node:path";
import { problemOf } from "./rooms.mjs";

/** Reports imports against the order of the rooms, types and `import()` included. */
const roomOrder = {
  /** @param {any} context */
  create(context) {
    /** @param {any} node @param {boolean} isType */
    const check = (node, isType) => {
      const path = node.source?.value;
      if (typeof path !== "string" || !path.startsWith(".")) return;
      const file = relative(context.cwd, context.filename);
      const problem = problemOf(file, join(dirname(file), path), isType);
      if (problem !== undefined) context.report({ node, message: problem });
    };
    return {
      /** @param {any} node */
      ImportDeclaration: (node) => check(node, node.importKind === "type"),
      /** @param {any} node */
      ExportNamedDeclaration: (node) => check(node, node.exportKind === "type"),
      /** @param {any} node */
      ImportExpression: (node) => check(node, false),
    };
  },
};

/** Reports docstrings that begin with "Returns what": they do not name the thing. */
const docstring = {
  /** @param {any} context */
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const [start] = /^\*[\s*]*(?:Returns|Creates) what\b/.exec(comment.value) ?? [];
          if (start === undefined) continue;
          const message = 'Name what is returned: "Returns the scheduler", not "Returns what …".';
          context.report({ loc: comment.loc, message });
        }
      },
    };
  },
};

export default { meta: { name: "structure" }, rules: { "room-order": roomOrder, docstring } };
