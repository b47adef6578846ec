import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern } from "../../text/address";
import { namePattern, visibleLinePattern } from "../../text/name";
import {
  extensionOperation,
  patchSchema,
  removeVerbs,
  requestSchemas,
  scimBoolean,
  scimCompanyPath,
  scimListFields,
  scimListSchema,
  scimMeta,
  setVerbs,
} from "./messages";

const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";

const base = "https://identity.example.com/api/v1/companies/3/scim/v2";
const example = {
  schemas: [USER_SCHEMA as typeof USER_SCHEMA],
  id: "42",
  externalId: "00u1a2b3c4",
  userName: "mina@aster.example",
  name: { familyName: "Laurent", givenName: "Mina" },
  active: true,
  emails: [{ value: "mina@aster.example", type: "work", primary: true }],
  meta: {
    resourceType: "User" as const,
    created: "2026-01-12T08:00:00.000Z",
    lastModified: "2026-01-12T08:00:00.000Z",
    location: `${base}/Users/42`,
  },
};

/** A user in responses: RFC 7643, 4.1. Only `schemas` and `id` are always present. */
export const scimUserSchema = lazySchema(() =>
  z
    .object({
      schemas: z.array(z.literal(USER_SCHEMA)),
      id: z.string().describe("user id"),
      externalId: z.string().optional(),
      userName: z.string().optional(),
      name: z.object({ formatted: z.string(), familyName: z.string(), givenName: z.string() }).partial().optional(),
      displayName: z.string().optional(),
      preferredLanguage: z.string().optional(),
      timezone: z.string().optional(),
      active: z.boolean().optional().describe("whether the user has access to the company"),
      emails: z.array(z.object({ value: z.string(), type: z.string(), primary: z.boolean() }).partial()).optional(),
      groups: z
        .array(z.object({ value: z.string(), display: z.string(), type: z.literal("direct") }).partial())
        .optional()
        .describe(
          "groups of the directory that have the user as a direct member; not in lists. Each also has its URL, `$ref`",
        ),
      meta: scimMeta("User").optional(),
    })
    .meta({ id: "ScimUser", examples: [example] }),
);

/** Response of `GET /Users`. */
export const scimUserListSchema = scimListSchema("ScimUserList", scimUserSchema, [example]);

const line = (max: number) => z.string().max(max).meta({ pattern: visibleLinePattern });
const name = () =>
  z
    .string()
    .max(150)
    .meta({ pattern: `^$|${namePattern}` });
const address = () => z.string().max(254).meta({ pattern: addressPattern });
const names = () => ({
  formatted: line(320).nullable().optional(),
  familyName: name().nullable().optional(),
  givenName: name().nullable().optional(),
});
const email = () =>
  z.object({
    value: address(),
    type: line(50).nullable().optional(),
    primary: scimBoolean().nullable().optional(),
  });
const emails = () => z.array(email()).min(1).describe("only the primary one is stored, else the first");
const attributes = () => ({
  externalId: line(255).nullable().optional(),
  name: z.object(names()).nullable().optional(),
  displayName: line(255).nullable().optional(),
  preferredLanguage: line(35).nullable().optional(),
  timezone: line(64).nullable().optional(),
  active: scimBoolean().nullable().optional().describe("whether the user has access; true for a new user"),
});

/** Body of `POST /Users`. Without `emails`, `userName` is the address. */
export const scimUserInputSchema = lazySchema(() => {
  const withAddress = z.object({
    schemas: requestSchemas(),
    userName: address().describe("the address, because there are no emails"),
    ...attributes(),
    emails: emails().nullable().optional(),
  });
  const withEmails = z.object({
    schemas: requestSchemas(),
    userName: line(255).min(1),
    ...attributes(),
    emails: emails(),
  });
  return z.union([withAddress, withEmails]).meta({ id: "ScimUserInput", examples: [input()] });
});

/** Body of `PUT /Users/{id}`. Without `emails`, the address becomes `userName` if this is one, and stays otherwise. */
export const scimUserReplacementSchema = lazySchema(() =>
  z
    .object({
      schemas: requestSchemas(),
      userName: line(255).min(1),
      ...attributes(),
      emails: emails().nullable().optional(),
    })
    .meta({ id: "ScimUserReplacement", examples: [input()] }),
);

function input() {
  const { meta: _meta, id: _id, ...attributesOfInput } = example;
  return attributesOfInput;
}

const userOperation = () => {
  const set = (paths: [string, ...string[]], value: z.ZodType) =>
    z.object({ op: setVerbs(), path: z.enum(paths), value });
  const orNull = (value: z.ZodType) => value.nullable().optional();
  return z.union([
    set(["userName"], address()),
    set(["externalId", "displayName", "name.formatted"], orNull(line(255))),
    set(["name.givenName", "name.familyName"], orNull(name())),
    set(["name"], orNull(z.object(names()))),
    set(["preferredLanguage"], orNull(line(35))),
    set(["timezone"], orNull(line(64))),
    set(["active"], orNull(scimBoolean())),
    set(["emails"], emails()),
    set(["emails.value", 'emails[type eq "work"].value', "emails[primary eq true].value"], address()),
    z.object({
      op: setVerbs(),
      path: z.literal("").nullable().optional(),
      value: z
        .object({ userName: address().nullable().optional(), ...attributes(), emails: emails().nullable().optional() })
        .describe("attributes to set"),
    }),
    z.object({
      op: removeVerbs(),
      path: z
        .enum([
          ...(["externalId", "displayName", "preferredLanguage", "timezone"] as const),
          ...(["name", "name.formatted", "name.givenName", "name.familyName", "emails"] as const),
        ])
        .describe("`emails` can be removed only if userName is an address"),
    }),
    extensionOperation(),
  ]);
};

/** Body of `PATCH /Users/{id}`. */
export const scimUserPatchSchema = patchSchema("ScimUserPatch", userOperation, {
  op: "replace",
  path: "active",
  value: false,
});

export const scimUserPath = lazySchema(() => z.object({ ...scimCompanyPath(), id: z.int().min(1) }));
export const scimUserListQuery = lazySchema(() =>
  z.object(
    scimListFields(
      "scim-user-filter",
      "id, externalId, userName, displayName, name, emails, active, meta.created and meta.lastModified",
    ),
  ),
);
