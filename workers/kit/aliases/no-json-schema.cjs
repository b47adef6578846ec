// Replaces zod's JSON Schema generator, through [alias] in each wrangler.toml. The build generates the OpenAPI
// documents, so a Worker never needs the generator. See docs/decisions/reduce-bundle-size-and-start-time.md.
const none = () => undefined;
const maker = () => none;
module.exports = {
  createToJSONSchemaMethod: maker,
  createStandardJSONSchemaMethod: maker,
  aggregateChecks: () => ({}),
};
