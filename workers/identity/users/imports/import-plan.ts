import { nameKeyOf } from "../../../../db/identity/groups";
import type { ImportCode, ImportResult, ImportRow } from "../../../../schemas/identity/people/imports";
import { uuid } from "../../../kit/ids";
import { providers } from "../../sign-in/oauth-providers/catalog";
import { newUsernames } from "../profiles/username";
import type { GroupJoin, LinkedAccount, NewAccount, NewPreferences, Rename } from "./import.store";
import type { AccountKey, PersonRow } from "./import-read.store";

/** What an import does besides adding people: give them access, or invite them. At most one is true. */
export type ImportOptions = { allow: boolean; invite: boolean };

/** The stored rows that concern the rows of a chunk. */
export type Existing = {
  people: ReadonlyMap<string, PersonRow>;
  /** open and revoked invitations by address */
  invitations: ReadonlyMap<string, "open" | "revoked">;
  /** groups by nameKeyOf their name */
  groups: ReadonlyMap<string, { id: string; source: "admin" | "scim" }>;
  /** user ids by linkKey */
  links: ReadonlyMap<string, number>;
  usernames: ReadonlySet<string>;
};

/** The changes of a chunk, and a result for each row. */
export type ImportPlan = {
  results: ImportResult[];
  accounts: NewAccount[];
  added: { email: string; created_at: number }[];
  allowed: { email: string; created_at: number }[];
  created: { email: string; created_at: number; event_id: string }[];
  enabled: { email: string; event_id: string }[];
  renames: Rename[];
  preferences: NewPreferences[];
  links: LinkedAccount[];
  joins: GroupJoin[];
  invitees: { email: string; language: "en" | "fr"; group_ids: string[] }[];
};

/** A row that may be imported, with its accounts at providers as they are stored. */
export type CheckedRow = ImportRow & { accounts: AccountKey[] };

/** Returns the key of an account at a provider in `Existing.links`. */
export const linkKey = ({ provider, issuer, subject }: Omit<AccountKey, "company">) =>
  JSON.stringify([provider, issuer, subject]);

/** Returns a result that rejects a row. */
export const rejected = (errors: Record<string, string[]>): ImportResult => ({ status: "rejected", errors });
const rejectField = (field: string, code: ImportCode) => rejected({ [field]: [code] });

const MICROSOFT_ISSUER = /^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/v2\.0$/;

/**
 * Returns the provider accounts of a row in the form in which they are stored, or a result that rejects the row. `companyIssuers` are the
 * issuers of the company's OpenID providers by provider id.
 */
export function readAccounts(
  { provider_accounts }: ImportRow,
  companyId: number,
  companyIssuers: ReadonlyMap<string, string>,
): AccountKey[] | ImportResult {
  const keys: AccountKey[] = [];
  for (const [at, { provider, subject, issuer }] of provider_accounts.entries()) {
    const field = `provider_accounts.${at}`;
    if (provider === "microsoft") {
      if (issuer === undefined) return rejected({ [`${field}.issuer`]: ["required"] });
      if (!MICROSOFT_ISSUER.test(issuer)) return rejected({ [`${field}.issuer`]: ["invalid"] });
      keys.push({ provider, issuer, subject, company: 0 });
      continue;
    }
    if (provider === "oidc" || provider.startsWith("oidc-")) {
      const companyIssuer =
        provider === "oidc"
          ? [...companyIssuers.values()].find((existing) => existing === issuer)
          : companyIssuers.get(provider);
      if (companyIssuer === undefined) return rejectField(field, "unknown_provider");
      keys.push({ provider: "oidc", issuer: companyIssuer, subject, company: companyId });
      continue;
    }
    const existing =
      provider === "google" || provider === "github" || provider === "apple" ? providers[provider].issuer : undefined;
    if (existing === undefined) return rejectField(field, "unknown_provider");
    keys.push({ provider, issuer: existing, subject, company: 0 });
  }
  return keys;
}

/** Plans the changes of a chunk. `rows` has a result instead of a row for each row that is already rejected. */
export function planImport(
  rows: readonly (CheckedRow | ImportResult)[],
  existing: Existing,
  options: ImportOptions,
  { now, newEventId }: { now: number; newEventId: () => string },
): ImportPlan {
  const plan: ImportPlan = {
    results: [],
    accounts: [],
    added: [],
    allowed: [],
    created: [],
    enabled: [],
    renames: [],
    preferences: [],
    links: [],
    joins: [],
    invitees: [],
  };
  const usernames = new Set(existing.usernames);
  const chunk = { plan, existing, options, now, newEventId, usernames, linked: new Set<string>() };
  for (const row of rows) plan.results.push("status" in row ? row : planRow(row, chunk));
  return plan;
}

type Chunk = {
  plan: ImportPlan;
  existing: Existing;
  options: ImportOptions;
  now: number;
  newEventId: () => string;
  /** usernames that are taken, also by earlier rows */
  usernames: Set<string>;
  /** provider accounts of earlier rows */
  linked: Set<string>;
};

function planRow(row: CheckedRow, chunk: Chunk): ImportResult {
  const { plan, existing, now } = chunk;
  const person = existing.people.get(row.email) ?? null;
  const rejection = checkRow(row, person, chunk);
  if (rejection !== null) return rejection;
  const skipped: Record<string, string[]> = {};
  const before = sizeOf(plan);
  const createdAt = row.created_at ?? now;
  if (person === null) {
    plan.accounts.push(newAccount(row, createdAt, chunk));
    plan.created.push({ email: row.email, created_at: createdAt, event_id: chunk.newEventId() });
  } else {
    planNames(row, person, chunk);
  }
  planAccess(row, person, createdAt, chunk, skipped);
  if ((row.language !== undefined || row.time_zone !== undefined) && !person?.has_preferences)
    plan.preferences.push({ email: row.email, language: row.language ?? "en", region: row.time_zone ?? "UTC" });
  planLinks(row, person, createdAt, chunk, skipped);
  planGroups(row, person, chunk);
  const status = person === null ? "created" : sizeOf(plan) > before ? "updated" : "unchanged";
  return { status, ...(Object.keys(skipped).length > 0 ? { skipped } : {}) };
}

/** Returns the number of planned changes. */
function sizeOf({ results: _results, ...changes }: ImportPlan): number {
  return Object.values(changes).reduce((sum, list) => sum + list.length, 0);
}

/** Returns a result that rejects the row, or null. */
function checkRow(row: CheckedRow, person: PersonRow | null, { existing, now, linked }: Chunk): ImportResult | null {
  if (person?.is_staff) return rejectField("email", "staff_account");
  if (person && !person.is_active) return rejectField("email", "inactive_account");
  if (row.created_at !== undefined && (row.created_at > now || row.created_at < 0))
    return rejected({ created_at: ["out_of_range"] });
  for (const [at, name] of row.groups.entries()) {
    const group = existing.groups.get(nameKeyOf(name));
    if (group === undefined) return rejectField(`groups.${at}`, "unknown_group");
    if (group.source === "scim" && !person?.group_ids.includes(group.id))
      return rejectField(`groups.${at}`, "group_read_only");
  }
  const isLinked = (account: AccountKey) => {
    const userId = existing.links.get(linkKey(account));
    return linked.has(linkKey(account)) || (userId !== undefined && userId !== person?.id);
  };
  const linkedIndex = row.accounts.findIndex(isLinked);
  return linkedIndex < 0 ? null : rejectField(`provider_accounts.${linkedIndex}`, "already_linked");
}

function newAccount(row: CheckedRow, createdAt: number, { now, usernames }: Chunk): NewAccount {
  const { randomUsername, ...candidates } = newUsernames(row.email);
  const username = Object.values(candidates).find((name) => !usernames.has(name)) ?? randomUsername;
  usernames.add(username);
  return {
    email: row.email,
    verified_at: row.email_verified ? now : null,
    username,
    random_username: randomUsername,
    first_name: row.first_name ?? "",
    last_name: row.last_name ?? "",
    created_at: createdAt,
  };
}

/** Plans new names of an existing person. An empty name in the row keeps the stored one. */
function planNames(row: CheckedRow, person: PersonRow, { plan, newEventId }: Chunk): void {
  const { first_name = person.first_name, last_name = person.last_name } = person.profile ?? {};
  const [firstName, lastName] = [row.first_name || first_name, row.last_name || last_name];
  const fields = [
    ...(firstName === first_name ? [] : ["first_name"]),
    ...(lastName === last_name ? [] : ["last_name"]),
  ];
  if (fields.length === 0) return;
  plan.renames.push({
    user_id: person.id,
    first_name: firstName,
    last_name: lastName,
    changed_fields: fields,
    event_id: newEventId(),
  });
}

function planAccess(
  { email, language }: CheckedRow,
  person: PersonRow | null,
  createdAt: number,
  { plan, existing, newEventId, options: { allow, invite } }: Chunk,
  skipped: Record<string, string[]>,
): void {
  const state = person?.state ?? null;
  if (state === "allowed") return;
  const invitation = existing.invitations.get(email);
  const isBlocked = state !== null && person?.state_reason !== "join_rule";
  const canAdd = !isBlocked && invitation !== "revoked";
  if ((allow || invite) && !canAdd) skipped.access = [isBlocked ? "access_removed" : "invitation_revoked"];
  if (allow && canAdd) {
    plan.allowed.push({ email, created_at: createdAt });
    if (person !== null) plan.enabled.push({ email, event_id: newEventId() });
    return;
  }
  if (state === null) plan.added.push({ email, created_at: createdAt });
  if (invite && canAdd && invitation !== "open")
    plan.invitees.push({ email, language: language ?? "en", group_ids: [] });
}

/**
 * Plans the links to provider accounts. A person who is also a member of another company gets no link to a provider that all
 * companies use, because it would work for sign-in there too. A row without a verified address adds no link to a person whose address is verified.
 */
function planLinks(
  row: CheckedRow,
  person: PersonRow | null,
  createdAt: number,
  { plan, existing, linked }: Chunk,
  skipped: Record<string, string[]>,
): void {
  for (const account of row.accounts) {
    linked.add(linkKey(account));
    if (existing.links.has(linkKey(account))) continue;
    if (person?.is_member_elsewhere && account.company === 0) {
      skipped.provider_accounts = ["user_shared"];
    } else if (person !== null && person.email_verified_at !== null && !row.email_verified) {
      skipped.provider_accounts = ["email_unverified"];
    } else {
      plan.links.push({ ...account, id: uuid(), email: row.email, proven: row.email_verified, created_at: createdAt });
    }
  }
}

function planGroups(row: CheckedRow, person: PersonRow | null, { plan, existing }: Chunk): void {
  const ids = row.groups.flatMap((name) => existing.groups.get(nameKeyOf(name))?.id ?? []);
  for (const groupId of new Set(ids)) {
    if (!person?.group_ids.includes(groupId)) plan.joins.push({ group_id: groupId, email: row.email });
  }
}
