// In place of zod's makers of JSON Schema, by [alias] of each wrangler.toml: documents are made at build time, a Worker makes none.
// docs/decisions/reduce-bundle-size-and-start-time.md
const none = () => undefined;
const maker = () => none;
module.exports = {
  createToJSONSchemaMethod: maker,
  createStandardJSONSchemaMethod: maker,
  aggregateChecks: () => ({}),
};
