// In place of zod's makers of JSON Schema, by [alias] of each wrangler.toml: documents are made at build time, a Worker makes none.
// docs/decisions/schemas-without-json-schema.md
const none = () => undefined;
const maker = () => none;
module.exports = {
  createToJSONSchemaMethod: maker,
  createStandardJSONSchemaMethod: maker,
  aggregateChecks: () => ({}),
};
