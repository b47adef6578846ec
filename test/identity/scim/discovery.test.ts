import { expect, it } from "vitest";
import { freshEmail } from "../../support/identity/identity";
import { createBareDirectory, createScimGroup, createScimUser, patchOf } from "../../support/identity/scim";

const core = "urn:ietf:params:scim:schemas:core:2.0";

type Attribute = {
  name: string;
  type: string;
  multiValued: boolean;
  mutability: string;
  subAttributes?: Attribute[];
};

/** Returns the paths of a schema, such as `name.givenName`. */
const pathsOf = (attributes: Attribute[], isIncluded: (attribute: Attribute) => boolean = () => true): string[] =>
  attributes
    .filter(isIncluded)
    .flatMap(({ name, subAttributes }) =>
      subAttributes === undefined ? [name] : pathsOf(subAttributes, isIncluded).map((path) => `${name}.${path}`),
    );

/** Returns the paths of the attributes of a resource, without the ones that every resource has. */
function pathsOfResource(resource: Record<string, unknown>): string[] {
  const paths = Object.entries(resource).flatMap(([name, value]) => {
    const [item] = [value].flat() as unknown[];
    return typeof item === "object" && item !== null ? Object.keys(item).map((sub) => `${name}.${sub}`) : [name];
  });
  return paths.filter((path) => !/^(?:schemas|id|externalId|meta)(?:\.|$)/.test(path)).sort();
}

/** Returns a resource with a value for each attribute of a schema, and attributes that are in no schema. */
function fill(attributes: Attribute[], values: Record<string, unknown>): Record<string, unknown> {
  const filled = attributes.map(({ name, type, multiValued, subAttributes = [] }): [string, unknown] => {
    if (name in values) return [name, values[name]];
    if (type === "boolean") return [name, true];
    const value = type === "complex" ? fill(subAttributes, values) : `${name} value`;
    return [name, multiValued ? [value] : value];
  });
  return { ...Object.fromEntries(filled), nickName: "x", title: "x", "urn:example:2.0:User": { badge: "7" } };
}

async function readSchema({ scim }: Awaited<ReturnType<typeof createBareDirectory>>, name: string) {
  const { status, body } = await scim("GET", `/Schemas/${core}:${name}`);
  expect([status, body]).toMatchObject([200, { id: `${core}:${name}`, name }]);
  return body.attributes as Attribute[];
}

it("the schema of users lists exactly the attributes that are stored", async () => {
  const directory = await createBareDirectory();
  const { scim } = directory;
  const attributes = await readSchema(directory, "User");
  const address = freshEmail();
  const values = { userName: address, value: address, groups: [{ value: crypto.randomUUID() }] };
  const created = await scim("POST", "/Users", fill(attributes, values));
  expect(created.status).toBe(201);
  const id = String(created.body.id);
  await createScimGroup(directory, id);
  const { body } = await scim("GET", `/Users/${id}`);
  expect(pathsOfResource(body)).toEqual(pathsOf(attributes).sort());
  // What is read-only is not taken from the request.
  const { groups, ...stored } = body;
  expect(groups).not.toMatchObject(values.groups);
  const writable = pathsOf(attributes, ({ mutability }) => mutability !== "readOnly");
  expect(writable.every((path) => pathsOfResource(stored).includes(path))).toBe(true);
});

it("the schema of groups lists exactly the attributes that are stored", async () => {
  const directory = await createBareDirectory();
  const attributes = await readSchema(directory, "Group");
  const value = await createScimUser(directory);
  const { status, body } = await directory.scim("POST", "/Groups", fill(attributes, { value, type: "User" }));
  expect(status).toBe(201);
  expect(pathsOfResource(body)).toEqual(pathsOf(attributes).sort());
});

it("an attribute that no schema lists is not stored, found or selected", async () => {
  const directory = await createBareDirectory();
  const id = await createScimUser(directory);
  const { scim } = directory;
  const { body: before } = await scim("GET", `/Users/${id}`);
  const operation = { op: "add", path: "nickName", value: "Mimi" };
  expect((await scim("PATCH", `/Users/${id}`, patchOf(operation))).body).toEqual(before);
  const response = await scim("GET", `/Users?filter=${encodeURIComponent('nickName eq "Mimi"')}`);
  expect([response.status, response.body.totalResults]).toEqual([200, 0]);
  const selected = await scim("GET", `/Users/${id}?attributes=nickName`);
  expect([selected.status, selected.body]).toEqual([200, { schemas: [`${core}:User`], id }]);
});

it("the configuration states the features, and the resource types their endpoints", async () => {
  const { scim, base } = await createBareDirectory();
  const config = await scim("GET", "/ServiceProviderConfig");
  expect(config.headers.get("content-type")).toBe("application/scim+json");
  expect([config.status, config.body]).toMatchObject([
    200,
    {
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 100 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [{ type: "oauthbearertoken" }],
    },
  ]);
  const types = await scim("GET", "/ResourceTypes");
  expect([types.status, types.body]).toMatchObject([
    200,
    {
      totalResults: 2,
      Resources: [
        { id: "User", endpoint: "/Users", schema: `${core}:User` },
        { id: "Group", endpoint: "/Groups", schema: `${core}:Group` },
      ],
    },
  ]);
  const [user] = types.body.Resources as { meta: { location: string } }[];
  expect(user?.meta.location).toContain(`${base}/ResourceTypes/User`);
  expect((await scim("GET", "/ResourceTypes/Group")).body).toMatchObject({ name: "Group" });
  expect((await scim("GET", "/Schemas")).body).toMatchObject({
    totalResults: 2,
    Resources: [{ id: `${core}:User` }, { id: `${core}:Group` }],
  });
});
