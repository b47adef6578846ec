import type { GroupOfMember } from "../../../../db/identity/groups";
import type { DirectoryAttributes } from "../../../../db/identity/scim";
import { iso } from "../../../kit/time";
import { profileOf } from "../../users/profiles/company-user";
import type { DirectoryUser } from "./directory-user";
import type { ListedUser } from "./user.store";

const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";

/** A user as SCIM responses show them. `id` is null for a user who does not exist yet. Times are unix ms. */
export type ShownUser = {
  id: number | null;
  user: DirectoryUser;
  groups: readonly GroupOfMember[];
  created_at: number;
  updated_at: number;
};

type UserRow = Pick<
  ListedUser,
  "first_name" | "last_name" | "profile" | "state" | "user_name" | "external_id" | "attributes"
>;

/** Returns the stored user as the directory sees them. */
export function directoryUserOf(row: UserRow): DirectoryUser {
  const { first_name, last_name } = profileOf(row as never);
  const { display_name, formatted_name, language, timezone, email } = row.attributes;
  return {
    userName: row.user_name,
    externalId: row.external_id,
    givenName: first_name,
    familyName: last_name,
    formattedName: formatted_name ?? null,
    displayName: display_name ?? null,
    email: email ?? null,
    isActive: row.state === "allowed",
    language: language ?? null,
    timezone: timezone ?? null,
  };
}

/** Returns the attributes that scim_users stores as JSON. */
export function attributesOf({
  formattedName,
  displayName,
  email,
  language,
  timezone,
}: DirectoryUser): DirectoryAttributes {
  return {
    ...(displayName === null ? {} : { display_name: displayName }),
    ...(formattedName === null ? {} : { formatted_name: formattedName }),
    ...(language === null ? {} : { language }),
    ...(timezone === null ? {} : { timezone }),
    ...(email === null ? {} : { email }),
  };
}

/** Returns a stored user for a response. */
export function shownUserOf(row: ListedUser & { groups?: readonly GroupOfMember[] }): ShownUser {
  return {
    id: row.id,
    user: directoryUserOf(row),
    groups: (row.groups ?? []).filter(({ source }) => source === "scim"),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Returns a user as a SCIM resource (RFC 7643, 4.1). `base` is the URL of the SCIM endpoints. Attributes without a value are left out. */
export function presentUser(base: string, { id, user, groups, created_at, updated_at }: ShownUser) {
  const { givenName, familyName, formattedName, email } = user;
  const name = {
    ...(formattedName === null ? {} : { formatted: formattedName }),
    ...(familyName === "" ? {} : { familyName }),
    ...(givenName === "" ? {} : { givenName }),
  };
  return {
    schemas: [USER_SCHEMA],
    ...(id === null ? {} : { id: String(id) }),
    ...(user.externalId === null ? {} : { externalId: user.externalId }),
    userName: user.userName,
    ...(Object.keys(name).length === 0 ? {} : { name }),
    ...(user.displayName === null ? {} : { displayName: user.displayName }),
    ...(user.language === null ? {} : { preferredLanguage: user.language }),
    ...(user.timezone === null ? {} : { timezone: user.timezone }),
    active: user.isActive,
    ...(email === null ? {} : { emails: [{ primary: true, ...email }] }),
    ...(groups.length === 0
      ? {}
      : {
          groups: groups.map((group) => ({
            value: group.id,
            $ref: `${base}/Groups/${group.id}`,
            display: group.display_name,
            type: "direct",
          })),
        }),
    meta: {
      resourceType: "User",
      created: iso(created_at),
      lastModified: iso(updated_at),
      ...(id === null ? {} : { location: `${base}/Users/${id}` }),
    },
  };
}
