import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { scimCompanyPath, scimListSchema } from "./messages";

// The documents with which a directory discovers what the service supports: RFC 7643, 5 to 7.

const base = "https://identity.example.com/api/v1/companies/3/scim/v2";
const config = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig";
const resourceType = "urn:ietf:params:scim:schemas:core:2.0:ResourceType";
const schema = "urn:ietf:params:scim:schemas:core:2.0:Schema";
const resourceIds = [
  "urn:ietf:params:scim:schemas:core:2.0:User",
  "urn:ietf:params:scim:schemas:core:2.0:Group",
] as const;

const meta = (resourceType_: string) =>
  z.object({ resourceType: z.literal(resourceType_), location: z.string().describe("URL of the document") });
const supported = () => z.object({ supported: z.boolean() });

/** Response of `GET /ServiceProviderConfig`. */
export const scimConfigSchema = lazySchema(() =>
  z
    .object({
      schemas: z.array(z.literal(config)),
      patch: supported(),
      bulk: supported().extend({ maxOperations: z.int(), maxPayloadSize: z.int() }),
      filter: supported().extend({ maxResults: z.int() }),
      changePassword: supported(),
      sort: supported(),
      etag: supported(),
      authenticationSchemes: z.array(
        z.object({
          type: z.string(),
          name: z.string(),
          description: z.string(),
          specUri: z.string(),
          primary: z.boolean(),
        }),
      ),
      meta: meta("ServiceProviderConfig"),
    })
    .meta({
      id: "ScimServiceProviderConfig",
      examples: [
        {
          schemas: [config as typeof config],
          patch: { supported: true },
          bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
          filter: { supported: true, maxResults: 100 },
          changePassword: { supported: false },
          sort: { supported: false },
          etag: { supported: false },
          authenticationSchemes: [
            {
              type: "oauthbearertoken",
              name: "Bearer token",
              description: "A SCIM token of the company.",
              specUri: "https://www.rfc-editor.org/rfc/rfc6750",
              primary: true,
            },
          ],
          meta: { resourceType: "ServiceProviderConfig" as const, location: `${base}/ServiceProviderConfig` },
        },
      ],
    }),
);

const exampleType = {
  schemas: [resourceType as typeof resourceType],
  id: "User" as const,
  name: "User",
  endpoint: "/Users",
  description: "User of the company",
  schema: resourceIds[0],
  schemaExtensions: [],
  meta: { resourceType: "ResourceType" as const, location: `${base}/ResourceTypes/User` },
};

/** A resource type. */
export const scimResourceTypeSchema = lazySchema(() =>
  z
    .object({
      schemas: z.array(z.literal(resourceType)),
      id: z.enum(["User", "Group"]),
      name: z.string(),
      endpoint: z.string(),
      description: z.string(),
      schema: z.enum(resourceIds),
      schemaExtensions: z.array(z.unknown()).max(0),
      meta: meta("ResourceType"),
    })
    .meta({ id: "ScimResourceType", examples: [exampleType] }),
);
export const scimResourceTypeListSchema = scimListSchema("ScimResourceTypeList", scimResourceTypeSchema, [exampleType]);

const attributeFields = () => ({
  name: z.string(),
  type: z.enum(["string", "boolean", "complex", "reference"]),
  multiValued: z.boolean(),
  description: z.string(),
  required: z.boolean(),
  caseExact: z.boolean(),
  mutability: z.enum(["readOnly", "readWrite", "immutable"]),
  returned: z.enum(["always", "default"]),
  uniqueness: z.enum(["none", "server"]),
  referenceTypes: z.array(z.string()).optional(),
  canonicalValues: z.array(z.string()).optional(),
});
const exampleSchema = {
  schemas: [schema as typeof schema],
  id: resourceIds[0],
  name: "User",
  description: "User of the company",
  attributes: [
    {
      name: "userName",
      type: "string" as const,
      multiValued: false,
      description: "Name with which the directory identifies the user.",
      required: true,
      caseExact: false,
      mutability: "readWrite" as const,
      returned: "default" as const,
      uniqueness: "server" as const,
    },
  ],
  meta: { resourceType: "Schema" as const, location: `${base}/Schemas/${resourceIds[0]}` },
};

/** A schema, with exactly the attributes that are stored. */
export const scimSchemaSchema = lazySchema(() =>
  z
    .object({
      schemas: z.array(z.literal(schema)),
      id: z.enum(resourceIds),
      name: z.string(),
      description: z.string(),
      attributes: z.array(
        z.object({ ...attributeFields(), subAttributes: z.array(z.object(attributeFields())).optional() }),
      ),
      meta: meta("Schema"),
    })
    .meta({ id: "ScimSchema", examples: [exampleSchema] }),
);
export const scimSchemaListSchema = scimListSchema("ScimSchemaList", scimSchemaSchema, [exampleSchema]);

export const scimResourceTypePath = lazySchema(() => z.object({ ...scimCompanyPath(), id: z.enum(["User", "Group"]) }));
export const scimSchemaPath = lazySchema(() => z.object({ ...scimCompanyPath(), id: z.enum(resourceIds) }));
