// The documents with which a directory discovers what the service supports: RFC 7644, 4 and RFC 7643, 5 to 7.

const SCHEMA = "urn:ietf:params:scim:schemas:core:2.0";

type Attribute = {
  name: string;
  type: "string" | "boolean" | "complex" | "reference";
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: "readOnly" | "readWrite" | "immutable";
  returned: "always" | "default";
  uniqueness: "none" | "server";
  subAttributes?: Attribute[];
  referenceTypes?: string[];
  canonicalValues?: string[];
};

const attribute = (name: string, description: string, rest: Partial<Attribute> = {}): Attribute => ({
  name,
  type: "string",
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...rest,
});

const reference = (description: string, referenceTypes: string[], rest: Partial<Attribute> = {}) =>
  attribute("$ref", description, { type: "reference", caseExact: true, referenceTypes, ...rest });
const readOnly = { mutability: "readOnly" } as const;
const list = (subAttributes: Attribute[], rest: Partial<Attribute> = {}) => ({
  type: "complex" as const,
  multiValued: true,
  subAttributes,
  ...rest,
});

const userAttributes = [
  attribute("userName", "Name with which the directory identifies the user.", { required: true, uniqueness: "server" }),
  attribute("name", "Names of the user.", {
    type: "complex",
    subAttributes: [
      attribute("formatted", "Full name, as the directory formats it."),
      attribute("familyName", "Family name."),
      attribute("givenName", "Given name."),
    ],
  }),
  attribute("displayName", "Name that is shown for the user."),
  attribute("preferredLanguage", "Language tag, such as fr-FR. It becomes the language of a user who has chosen none."),
  attribute("timezone", "Time zone, such as Europe/Paris. It becomes the time zone of a user who has chosen none."),
  // Every user has this value, so it cannot be removed. A request without it keeps it; it is true for a new user.
  attribute("active", "Whether the user has access to the company.", { type: "boolean", required: true }),
  attribute(
    "emails",
    "Address of the user. Only the primary or first one is stored; without any, userName is the address.",
    {
      ...list([
        attribute("value", "Address."),
        attribute("type", "Label, such as work."),
        attribute("primary", "Whether this is the primary address. It is unless a request says no.", {
          type: "boolean",
        }),
      ]),
    },
  ),
  attribute("groups", "Groups of the directory that have the user as a direct member.", {
    ...list(
      [
        attribute("value", "Id of the group.", { ...readOnly, caseExact: true }),
        reference("URL of the group.", ["Group"], readOnly),
        attribute("display", "Name of the group.", readOnly),
        attribute("type", "Always direct.", { ...readOnly, canonicalValues: ["direct"] }),
      ],
      readOnly,
    ),
  }),
];

const groupAttributes = [
  attribute("displayName", "Name of the group, unique in the company.", { required: true, uniqueness: "server" }),
  attribute("members", "Direct members of the group.", {
    ...list([
      attribute("value", "Id of the user or group.", { mutability: "immutable", caseExact: true }),
      reference("URL of the user or group.", ["User", "Group"], { mutability: "immutable" }),
      attribute("type", "User or Group.", { mutability: "immutable", canonicalValues: ["User", "Group"] }),
    ]),
  }),
];

const meta = (base: string, resourceType: string, path: string) => ({ resourceType, location: `${base}${path}` });

/** Returns the features that the service supports. `base` is the URL of the SCIM endpoints, without a slash at the end. */
export const serviceProviderConfig = (base: string) => ({
  schemas: [`${SCHEMA}:ServiceProviderConfig`],
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
  meta: meta(base, "ServiceProviderConfig", "/ServiceProviderConfig"),
});

/** Returns the resource types. */
export const resourceTypes = (base: string) =>
  ["User", "Group"].map((name) => ({
    schemas: [`${SCHEMA}:ResourceType`],
    id: name,
    name,
    endpoint: `/${name}s`,
    description: name === "User" ? "User of the company" : "Group of users",
    schema: `${SCHEMA}:${name}`,
    schemaExtensions: [],
    meta: meta(base, "ResourceType", `/ResourceTypes/${name}`),
  }));

/** Returns the schemas: exactly the attributes that are stored. */
export const resourceSchemas = (base: string) =>
  [
    { name: "User", description: "User of the company", attributes: userAttributes },
    { name: "Group", description: "Group of users", attributes: groupAttributes },
  ].map(({ name, description, attributes }) => ({
    schemas: [`${SCHEMA}:Schema`],
    id: `${SCHEMA}:${name}`,
    name,
    description,
    attributes,
    meta: meta(base, "Schema", `/Schemas/${SCHEMA}:${name}`),
  }));
