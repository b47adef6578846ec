import type { OpenApiGeneratorV31 as Generator } from "@asteasolutions/zod-to-openapi";

// Imported dynamically and importing nothing else of ours, so that the bundler defers it alone: see docs/decisions.
export { OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";

/** An OpenAPI 3.1 document. */
export type ApiDocument = ReturnType<Generator["generateDocument"]>;
