import { and, eq, sql } from "drizzle-orm";
import { isOpenInvitation } from "../../../../db/identity/invitations";
import {
  companies,
  event_log,
  groups,
  invitations,
  memberships,
  oauth_redirects,
  users,
} from "../../../../db/identity/schema";
import { boundedScan, scanParameters } from "../../../kit/db/bounded-scan";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import { allColumns, insertSelect, jsonEach, leftJoined, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, company_id, email, status, expires_at, mail_state, mail_lease } = invitations;

const inviter = leftJoined({
  inviter_email: users.email,
  inviter_first_name: users.first_name,
  inviter_last_name: users.last_name,
  inviter_profile: memberships.profile,
});
const joinInviter = sql`left join ${users} on ${users.id} = ${invitations.invited_by}
  left join ${memberships} on ${memberships.company_id} = ${company_id} and ${memberships.user_id} = ${users.id}`;
const listed = { ...allColumns(invitations), ...inviter };

type Listed = {
  inviter_email: string | null;
  inviter_first_name: string | null;
  inviter_last_name: string | null;
  inviter_profile: typeof memberships.$inferSelect.profile;
};

/** An invitation with the inviting user as the company sees them. */
export type InvitationRow = typeof invitations.$inferSelect & Listed;

/** Selects an invitation of the company. */
export const findInvitation = statement({ companyId: company_id, id }, (p) =>
  selectRows(
    listed,
    (columns) => sql`select ${columns} from ${invitations} ${joinInviter}
      where ${id} = ${p.id} and ${company_id} = ${p.companyId}`,
  ),
);

/** Selects the invitations of the company with these ids. */
export const findInvitations = statement({ companyId: company_id, ids: json<string[]>() }, (p) => {
  const requested = jsonEach(p.ids, "requested");
  return selectRows(
    listed,
    (columns) => sql`select ${columns} from ${requested.from}
      cross join ${invitations} on ${id} = ${requested.value} and ${company_id} = ${p.companyId} ${joinInviter}`,
  );
});

/**
 * Selects a page of the company's invitations, newest first. `status` is a state of the API, or null for open and revoked
 * invitations. `mailState` is a state of the mail in the API, or null for any.
 */
export const listInvitations = statement(
  {
    companyId: company_id,
    before: text,
    status: nullable(text),
    mailState: nullable(text),
    now: integer,
    ...scanParameters,
  },
  (p) => {
    const page = boundedScan(
      {
        key: id,
        matches: sql`(${p.mailState} is null or ${p.mailState} = case ${mail_state}
            when 'waiting' then 'queued' when 'expired' then 'failed' else ${mail_state} end)
          and case ${p.status} when 'pending' then ${isOpenInvitation(p.now)}
          when 'expired' then ${status} = 'pending' and ${expires_at} <= ${p.now}
          when 'accepted' then ${status} = 'accepted' when 'revoked' then ${status} = 'revoked'
          else ${status} = 'revoked' or ${isOpenInvitation(p.now)} end`,
        range: sql`from ${invitations} indexed by invitations_company
          where ${company_id} = ${p.companyId} and ${id} < ${p.before} order by ${id} desc`,
      },
      p,
    );
    return selectRows(
      { ...listed, ...page.end },
      (columns) => sql`select ${columns} from ${page.from} cross join ${invitations} on ${id} = ${page.key}
        ${joinInviter} order by ${id} desc`,
    );
  },
);

/** An invitation that is to be stored. */
export type NewInvitation = {
  id: string;
  event_id: string;
  email: string;
  language: string;
  group_ids: string[];
  token_hash: string;
  sealed: string | null;
};

const listedItems = { companyId: company_id, items: json<NewInvitation[]>() };
const creation = { ...listedItems, now: integer };

const isAllowedAddress = (companyId: unknown, address: unknown) =>
  sql`exists (select 1 from ${users} join ${memberships} on ${memberships.company_id} = ${companyId}
    and ${memberships.user_id} = ${users.id} where ${users.email} = ${address} and ${memberships.state} = 'allowed')`;
const hasUnknownGroup = (companyId: unknown, groupIds: unknown) =>
  sql`exists (select 1 from json_each(${groupIds}) requested where not exists (select 1 from ${groups}
    where ${groups.id} = requested.value and ${groups.company_id} = ${companyId} and ${groups.source} = 'admin'))`;

/** Deletes the revoked and expired invitations that new ones replace. Must run directly before insertInvitations. */
export const deleteReplaced = statement(creation, (p) => {
  const { from, item } = jsonEach(p.items, "item");
  return sql`delete from ${invitations} where ${company_id} = ${p.companyId} and ${status} <> 'accepted'
    and not ${isOpenInvitation(p.now)} and ${email} in (select ${item.email} from ${from}
      where not ${isAllowedAddress(p.companyId, item.email)} and not ${hasUnknownGroup(p.companyId, item.group_ids)})`;
});

/**
 * Inserts invitations. Skips an address that is an allowed member or has an open invitation, and an item with a group that is
 * not of the company or that the directory manages.
 */
export const insertInvitations = statement(
  {
    ...creation,
    appUrl: invitations.app_url,
    invitedBy: nullable(integer),
    expiresAt: expires_at,
    deadline: integer,
    requestId: text,
  },
  (p) => {
    const { from, item } = jsonEach(p.items, "item");
    const hasMail = sql`${item.sealed} is not null`;
    return insertSelect(
      invitations,
      {
        id: item.id,
        company_id: p.companyId,
        email: item.email,
        language: sql`${item.language}`,
        app_url: p.appUrl,
        token_hash: item.token_hash,
        status: "pending",
        group_ids: sql`${item.group_ids}`,
        invited_by: p.invitedBy,
        created_at: p.now,
        expires_at: p.expiresAt,
        mail_sealed: item.sealed,
        mail_state: sql`iif(${hasMail}, 'waiting', null)`,
        mail_next_at: p.now,
        mail_deadline_at: p.deadline,
        mail_request_id: p.requestId,
      },
      sql`from ${from} where not ${isAllowedAddress(p.companyId, item.email)}
        and not ${hasUnknownGroup(p.companyId, item.group_ids)} on conflict do nothing`,
    );
  },
);

/** Inserts `identity.user.invited` for each invitation that the batch inserted. `inviterId` is null for the operator. */
export const insertInvitedEvents = statement(
  { ...creation, inviterId: nullable(users.id), inviterName: text, actor: nullable(text) },
  (p) => {
    const { from, item } = jsonEach(p.items, "item");
    return insertSelect(
      event_log,
      {
        id: item.event_id,
        company_id: p.companyId,
        event_type: "identity.user.invited",
        user_id: p.inviterId,
        user_email: sql`(select ${users.email} from ${users} where ${users.id} = ${p.inviterId})`,
        data: sql`json_patch(json_object('email', ${email}, 'invitation_id', ${id}, 'language', ${invitations.language}),
          json_object('inviter_name', nullif(${p.inviterName}, '')))`,
        actor: p.actor,
        created_at: p.now,
      },
      sql`from ${from} cross join ${invitations} on ${id} = ${item.id}
        where true on conflict do nothing`,
    );
  },
);

/** Selects the reasons why the items of a batch were not inserted. The response reports the first reason that is true. */
export const findRejections = statement(listedItems, (p) => {
  const { from, item } = jsonEach(p.items, "item");
  return selectRows(
    {
      id: sql`${item.id}`.mapWith(text),
      has_unknown_group: hasUnknownGroup(p.companyId, item.group_ids).mapWith(boolean),
      is_member: isAllowedAddress(p.companyId, item.email).mapWith(boolean),
    },
    (columns) => sql`select ${columns} from ${from}`,
  );
});

const one = { companyId: company_id, id };

/** Gives an open invitation a new token, mail and expiry. */
export const renewInvitation = statement(
  {
    ...one,
    tokenHash: invitations.token_hash,
    sealed: invitations.mail_sealed,
    now: integer,
    expiresAt: expires_at,
    deadline: integer,
    requestId: text,
  },
  (p) =>
    queryBuilder
      .update(invitations)
      .set({
        token_hash: p.tokenHash,
        expires_at: p.expiresAt,
        mailed_at: sql`coalesce(${invitations.mailed_at}, case when ${mail_state} = 'sent' or ${mail_lease} is not null then ${p.now} end)`,
        mail_sealed: p.sealed,
        mail_state: sql`iif(${p.sealed} is null, null, 'waiting')`,
        mail_attempts: 0,
        mail_next_at: p.now,
        mail_deadline_at: p.deadline,
        mail_locked_until: null,
        mail_lease: null,
        mail_error: null,
        mail_request_id: p.requestId,
      })
      .where(and(eq(id, p.id), eq(company_id, p.companyId), isOpenInvitation(p.now))),
);

/**
 * Revokes an open invitation and cancels its waiting mail. Changes nothing when the state of the mail differs from the one that
 * was read.
 */
export const revokeInvitation = statement(
  { ...one, now: integer, mailState: nullable(mail_state), mailLease: nullable(mail_lease) },
  (p) =>
    queryBuilder
      .update(invitations)
      .set({
        status: "revoked",
        revoked_at: p.now,
        mail_sealed: null,
        mail_lease: null,
        mail_state: sql`nullif(${mail_state}, 'waiting')`,
      })
      .where(
        and(
          eq(id, p.id),
          eq(company_id, p.companyId),
          isOpenInvitation(p.now),
          sql`${mail_state} is ${p.mailState} and ${mail_lease} is ${p.mailLease}`,
        ),
      ),
);

/** Deletes a revoked invitation, so that it no longer blocks its address. */
export const deleteRevoked = statement(one, (p) =>
  queryBuilder.delete(invitations).where(and(eq(id, p.id), eq(company_id, p.companyId), eq(status, sql`'revoked'`))),
);

/** Selects what the page of an open invitation shows. `origins` has the active allowlist origins that `app_url` starts with. */
export const findOpenInvitation = statement({ tokenHash: invitations.token_hash, now: integer }, (p) =>
  selectRows(
    {
      language: invitations.language,
      app_url: invitations.app_url,
      company_id,
      company_name: companies.name,
      ...inviter,
      origins: sql`(select json_group_array(${oauth_redirects.base_url}) from ${oauth_redirects}
        where ${oauth_redirects.company_id} = ${company_id} and ${oauth_redirects.is_active} = 1
          and instr(${invitations.app_url}, ${oauth_redirects.base_url}) = 1)`.mapWith(json<string[]>()),
    },
    (columns) => sql`select ${columns} from ${invitations}
      join ${companies} on ${companies.id} = ${company_id} and ${companies.is_active} = 1
      ${joinInviter} where ${invitations.token_hash} = ${p.tokenHash} and ${isOpenInvitation(p.now)}`,
  ),
);
