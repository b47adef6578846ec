import * as z from "zod";
import { type LazySchema, lazySchema } from "../../lazy-schema";

// Messages and attributes that the resources of SCIM share: RFC 7643 and RFC 7644. The schemas do not declare the attribute `$ref`,
// because OpenAPI tools read a property with this name as a reference.

/** The id of an extension of a core schema, whose attributes are not stored. */
const extensionPath = "^urn:ietf:params:scim:schemas:extension:[A-Za-z0-9:._-]{1,200}$";

/** The company in the path of every SCIM endpoint. */
export const scimCompanyPath = () => ({
  company: z.string().meta({ pattern: "^[a-z0-9-]{1,60}$" }).describe("id or slug of the company"),
});

/** `schemas` of a request. The service ignores it. */
export const requestSchemas = () => z.unknown().optional().describe("ids of the schemas; ignored");

/** A boolean of a request. Some directories send it as text. */
export const scimBoolean = () => z.union([z.boolean(), z.enum(["true", "false", "True", "False"])]);

/** `meta` of a resource. */
export const scimMeta = (resourceType: string) =>
  z
    .object({
      resourceType: z.literal(resourceType),
      created: z.iso.datetime(),
      lastModified: z.iso.datetime(),
      location: z.string().describe("URL of the resource"),
    })
    .partial();

const attributeList = (description: string) => z.string().optional().describe(description);

/** The path of an endpoint without an id. */
export const scimPath = lazySchema(() => z.object(scimCompanyPath()));

/** The query that selects attributes: RFC 7644, 3.9. */
export const projectionFields = () => ({
  attributes: attributeList(
    "names of the attributes to return, separated by commas, such as `userName,name.givenName`",
  ),
  excludedAttributes: attributeList("names of the attributes to leave out, separated by commas"),
});
export const projectionQuery = lazySchema(() => z.object(projectionFields()));

const position = () => z.int().min(-999_999_999).max(999_999_999).optional();

/** The query of a list of resources: RFC 7644, 3.4.2. `format` names the syntax of the filter. */
export const scimListFields = (format: "scim-user-filter" | "scim-group-filter", filtered: string) => ({
  filter: z
    .string()
    .max(1000)
    .optional()
    .meta({ format })
    .describe(`filter by ${filtered} with at most 20 comparisons, in the syntax of RFC 7644, 3.4.2.2`),
  startIndex: position().describe("position of the first resource; less than 1 means 1, which is the default"),
  count: position().describe("number of resources; less than 0 means 0, more than 100 means 100, which is the default"),
  ...projectionFields(),
});

/** Returns the schema of a list response: RFC 7644, 3.4.2. */
export const scimListSchema = (id: string, resource: LazySchema, examples: unknown[]): LazySchema =>
  lazySchema(() =>
    z
      .object({
        schemas: z.array(z.literal("urn:ietf:params:scim:api:messages:2.0:ListResponse")),
        totalResults: z.int().min(0),
        startIndex: z.int().min(1),
        itemsPerPage: z.int().min(0).max(100),
        Resources: z.array(resource.unwrap()).max(100),
      })
      .meta({
        id,
        examples: [
          {
            schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            totalResults: examples.length,
            startIndex: 1,
            itemsPerPage: examples.length,
            Resources: examples,
          } as never,
        ],
      }),
  );

/** An error: RFC 7644, 3.12, with the error code and request id of the platform. */
export const scimErrorSchema = lazySchema(() =>
  z
    .object({
      schemas: z.array(z.literal("urn:ietf:params:scim:api:messages:2.0:Error")),
      status: z
        .string()
        .regex(/^[45][0-9]{2}$/)
        .describe("HTTP status"),
      scimType: z
        .enum(["invalidFilter", "invalidPath", "invalidSyntax", "invalidValue", "noTarget", "uniqueness"])
        .optional()
        .describe("keyword of a 400, and of a 409 for a value that is taken"),
      detail: z.string().describe("the problem in one sentence"),
      error_code: z.string(),
      request_id: z.string(),
    })
    .meta({ id: "ScimError" }),
);

/** The verbs of an operation. Some directories capitalize them. */
export const setVerbs = () => z.enum(["add", "replace", "Add", "Replace"]);
export const removeVerbs = () => z.enum(["remove", "Remove"]);

/** An operation on an attribute of an extension. The service ignores it. */
export const extensionOperation = () =>
  z
    .object({
      op: z.enum(["add", "replace", "remove", "Add", "Replace", "Remove"]),
      path: z.string().meta({ pattern: extensionPath }),
      value: z.unknown().optional(),
    })
    .describe("ignored, because attributes of extensions are not stored");

/** Returns the body of a PATCH (RFC 7644, 3.5.2) with these operations. */
export const patchSchema = (id: string, operation: () => z.ZodType, example: object): LazySchema =>
  lazySchema(() =>
    z.object({ schemas: requestSchemas(), Operations: z.array(operation()).min(1).max(1000) }).meta({
      id,
      examples: [{ schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: [example] } as never],
    }),
  );
