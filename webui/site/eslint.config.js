import js from "@eslint/js";
import globals from "globals";

/** Where text becomes markup: `dom.js` alone, so that one place answers for it. */
const MARKUP = ["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "writeln", "createContextualFragment", "setHTMLUnsafe"];

export default [
  { ignores: ["**/static/site/viewer/joined-*.js"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/static/site/**/*.js"],
    languageOptions: { sourceType: "module", globals: globals.browser },
  },
  {
    files: ["**/editor/*.mjs"],
    languageOptions: { sourceType: "module", globals: globals.browser },
  },
  {
    files: ["**/*.mjs", "**/eslint.config.js"],
    ignores: ["**/editor/*.mjs"],
    languageOptions: { sourceType: "module", globals: globals.node },
  },
  {
    rules: {
      "array-callback-return": "error",
      "default-case-last": "error",
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-param-reassign": "error",
      "no-script-url": "error",
      "no-self-compare": "error",
      "no-shadow": "error",
      "no-throw-literal": "error",
      "no-undef-init": "error",
      "no-unused-expressions": "error",
      "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      "require-await": "error",
      "no-restricted-properties": ["error", ...MARKUP.map((property) => ({ property, message: "Markup is made in dom.js." }))],
    },
  },
  {
    files: ["**/static/site/dom.js"],
    rules: { "no-restricted-properties": "off" },
  },
];
