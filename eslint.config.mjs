// The linter of the page's scripts and of those inside reports: mistakes, not taste. Types are checked by tsc (jsconfig.json).
const mistakes = [
  "constructor-super", "for-direction", "getter-return", "no-async-promise-executor", "no-class-assign", "no-compare-neg-zero",
  "no-cond-assign", "no-const-assign", "no-constant-binary-expression", "no-constant-condition", "no-debugger", "no-dupe-args",
  "no-dupe-class-members", "no-dupe-else-if", "no-dupe-keys", "no-duplicate-case", "no-ex-assign", "no-fallthrough",
  "no-func-assign", "no-global-assign", "no-import-assign", "no-invalid-regexp", "no-loss-of-precision", "no-new-native-nonconstructor",
  "no-obj-calls", "no-prototype-builtins", "no-redeclare", "no-self-assign", "no-setter-return", "no-shadow-restricted-names",
  "no-sparse-arrays", "no-this-before-super", "no-unexpected-multiline", "no-unreachable", "no-unsafe-finally", "no-unsafe-negation",
  "no-unsafe-optional-chaining", "no-unused-labels", "no-useless-catch", "no-useless-escape", "require-yield", "use-isnan", "valid-typeof",
];
// What would run or draw text from outside.
const dangers = ["no-eval", "no-implied-eval", "no-new-func", "no-script-url"];
const habits = ["prefer-const", "no-var", "eqeqeq", "no-else-return", "no-useless-return", "object-shorthand", "no-throw-literal"];
const rules = Object.fromEntries([...mistakes, ...dangers, ...habits].map((name) => [name, "error"]));
const html = ["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property, message: "System outputs are text, never markup." }));
const own = { ...rules, "no-restricted-properties": ["error", ...html], "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "none" }] };

export default [
  { files: ["src/outscore/web/static/*.js", "tests/web/scripts/*.mjs"], languageOptions: { sourceType: "module" }, rules: own },
  // Files of the explorer and of saved reports are joined into one script: what one declares another uses.
  { files: ["src/outscore/report/**/*.js"], languageOptions: { sourceType: "script" }, rules: { ...own, "no-unused-vars": "off" } },
];
