import { sql } from "../../kit/db";

/** Bytes of metadata that may be kept for a person (details 7.1, 8). */
export const maxMetadataBytes = 8192;

// Merging keys: those of ?6 (an object of nulls) are taken out, then the text of ?7 is put behind what is left, so that
// two changes at a time are both kept and no value is rewritten on the way.
const merged = (own: string) =>
  `(SELECT CASE WHEN ?7 = '{}' THEN kept WHEN kept = '{}' THEN ?7
      ELSE substr(kept, 1, length(kept) - 1) || ',' || substr(?7, 2) END FROM (SELECT json_patch(${own}, ?6) AS kept))`;
const mayKeep = (own: string) => `length(CAST(${merged(own)} AS BLOB)) <= ${maxMetadataBytes}`;

// A company alone with a person changes the account; beside others, or once it has a view of its own, it changes that
// view only (details 1.2). The two statements exclude each other.
const isMemberElsewhere = "EXISTS (SELECT 1 FROM memberships o WHERE o.user_id = ?2 AND o.company_id <> ?1)";

/**
 * (company, user, now, first name or null, last name or null, keys to take out as an object of nulls, keys to put in as an
 * object, whether the membership must be allowed or must not, null for either): names and metadata of an account that has
 * no other company. Nothing changes when the metadata would outgrow its limit.
 */
export const changeAccountProfile = sql(
  `UPDATE users SET first_name = coalesce(?4, first_name), last_name = coalesce(?5, last_name),
     metadata = ${merged("metadata")}, updated_at = ?3
   WHERE id = ?2 AND NOT ${isMemberElsewhere} AND ${mayKeep("metadata")}
     AND EXISTS (SELECT 1 FROM memberships m WHERE m.company_id = ?1 AND m.user_id = ?2 AND m.profile IS NULL
       AND (?8 IS NULL OR (m.state = 'allowed') = ?8))`,
);

const ownMetadata = "coalesce(memberships.profile -> '$.metadata', u.metadata)";

/** As changeAccountProfile, for a person whom other companies see too: the company's own view. */
export const changeMembershipProfile = sql(
  `UPDATE memberships SET profile = json_object(
     'first_name', coalesce(?4, memberships.profile ->> '$.first_name', u.first_name),
     'last_name', coalesce(?5, memberships.profile ->> '$.last_name', u.last_name),
     'metadata', json(${merged(ownMetadata)}))
   FROM users u
   WHERE memberships.company_id = ?1 AND memberships.user_id = ?2 AND u.id = ?2 AND ?3 IS NOT NULL
     AND (memberships.profile IS NOT NULL OR ${isMemberElsewhere}) AND ${mayKeep(ownMetadata)}
     AND (?8 IS NULL OR (memberships.state = 'allowed') = ?8)`,
);
