import { phrasesIn } from "./banned-phrases.mjs";

/** Reports banned phrases in comments, string literals and templates. */
const noBannedPhrase = {
  /** @param {any} context */
  create(context) {
    /** @param {string} text @param {any} node */
    const check = (text, node) => {
      for (const { phrase, instead } of phrasesIn(text)) {
        context.report({ node, message: `"${phrase}": write ${instead} (see test/wording)` });
      }
    };
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) check(comment.value, comment);
      },
      /** @param {any} node */
      Literal(node) {
        if (typeof node.value === "string") check(node.value, node);
      },
      /** @param {any} node */
      TemplateElement(node) {
        check(node.value.cooked ?? "", node);
      },
    };
  },
};

export default { meta: { name: "wording" }, rules: { "no-banned-phrase": noBannedPhrase } };
