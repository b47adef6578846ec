import { eq } from "drizzle-orm";
import { sessions } from "../../../db/identity/schema";
import { clock } from "../../../workers/kit/clock";
import type { Facts } from "../http/route-calls";
import { storeJobRun } from "../jobs/jobs";
import { eventType } from "../webhooks/api";
import { webhookFacts } from "../webhooks/operations";
import { createPat, createTestUser, type TestUser } from "./admin";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  requestLink,
  signIn,
} from "./identity";
import {
  freshOrigin,
  loginEventOf,
  storeClient,
  storeGroup,
  storeInvitation,
  storePat,
  storeRedirect,
  storeScimToken,
  storeSession,
  updateRows,
} from "./rows";

type Company = { id: number; origin: string };

const OPERATOR_KEY = `opk_${"k".repeat(40)}`;

/**
 * Settings of the route check. Rate limits are off, because they have separate tests. Every sign-in is too old to
 * delete the account.
 */
export const checkedVars = {
  AUTH_RATE_LIMIT_MAGIC_LINK: "off",
  AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "off",
  AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL: "off",
  AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: "off",
  AUTH_RATE_LIMIT_OAUTH: "off",
  AUTH_RATE_LIMIT_TOKEN_REFRESH: "off",
  AUTH_RATE_LIMIT_SETTINGS: "off",
  AUTH_RATE_LIMIT_PAT: "off",
  AUTH_RATE_LIMIT_INVITATION: "off",
  AUTH_RATE_LIMIT_SCIM: "off",
  API_MUTATION_RATE_LIMIT: "off",
  ACCOUNT_DELETE_MAX_AUTH_AGE: "0.001",
  OPERATOR_KEY,
};

/** Settings with every rate limit at one request per minute. */
export const limitedVars = Object.fromEntries(
  Object.entries(checkedVars).map(([name, value]) => [name, name.includes("_RATE_LIMIT") ? "1/min" : value]),
);

/** Creates two companies with their users and returns the facts about each operation of identity. */
export async function describeIdentityOperations() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox, checkedVars);
  const [company, other] = await Promise.all([createCompany(), createCompany()]);
  const [member, owner, staff, foreignOwner, foreignMember, expiring, leaving] = await Promise.all([
    createTestUser(company),
    createTestUser(company, { owner: true }),
    createTestUser(company, { staff: true }),
    createTestUser(other, { owner: true }),
    createTestUser(other),
    createTestUser(company, { owner: true }),
    createTestUser(company, { owner: true }),
  ]);
  await updateRows(sessions, { revoked_at: 1 }, eq(sessions.user_id, leaving.id));
  const testUsers = { company, other, member, owner, foreignOwner, foreignMember };
  return {
    env,
    company: company.id,
    foreignCompany: other.id,
    bearers: {
      member: member.bearer,
      owner: owner.bearer,
      staff: staff.bearer,
      operator: OPERATOR_KEY,
      foreignOwner: foreignOwner.bearer,
      readOnly: await createPat(company, owner, true),
      expired: await expiredTokenOf(company, expiring),
      revoked: leaving.bearer,
    },
    facts: {
      ...openFacts(env, mailbox, company, await openLink()),
      ...memberFacts(testUsers),
      ...webhookFacts(company.id, other.id, eventType, { knowsCallers: true }),
      ...adminFacts(testUsers),
    },
  };

  async function openLink(): Promise<string> {
    const { token } = await requestLink(env, mailbox, company, freshEmail());
    return `token=${token}&company_id=${company.id}`;
  }
}

/** Returns an access token that has expired. */
async function expiredTokenOf(company: Company, user: TestUser): Promise<string> {
  const systemNow = clock.now;
  clock.now = () => systemNow() - 3_600_000;
  try {
    const mailbox = createMailbox();
    return (await signIn(identityEnv(mailbox, checkedVars), mailbox, company, user.email)).access_token;
  } finally {
    clock.now = systemNow;
  }
}

type Env = ReturnType<typeof identityEnv>;

/** Facts about sign-in and other operations without a credential. */
function openFacts(
  env: Env,
  mailbox: ReturnType<typeof createMailbox>,
  company: Company,
  liveLink: string,
): Record<string, Facts> {
  const redirect_to = `${company.origin}/login/callback`;
  const open = { role: "open" } as const;
  const refreshToken = async () => ({
    refresh_token: (await signIn(env, mailbox, company, freshEmail())).refresh_token,
  });
  return {
    "post /api/v1/magic-link/request": {
      ...open,
      body: () => ({ company_id: company.id, email: freshEmail(), redirect_to }),
    },
    "get /api/v1/magic-link/verify": { ...open, search: liveLink },
    "post /api/v1/magic-link/verify": {
      ...open,
      body: async () => ({
        token: (await requestLink(env, mailbox, company, freshEmail())).token,
        company_id: company.id,
      }),
    },
    "get /api/v1/authorize": {
      ...open,
      search: `company_id=${company.id}&redirect_to=${encodeURIComponent(redirect_to)}`,
      dependentQueries: ["token_delivery", "code_challenge_method"],
    },
    // A valid callback needs a provider's response, which the OAuth tests cover.
    "get /api/v1/oauth/callback": { ...open, search: "state=unknown", answers: [400] },
    "post /api/v1/oauth/callback": { ...open, form: "state=unknown", answers: [400] },
    "post /api/v1/oauth/session": {
      ...open,
      body: async () => ({ auth_code: await createAuthCode(env, mailbox, company, redirect_to), redirect_to }),
    },
    "post /api/v1/token": { ...open, search: "grant_type=refresh_token", body: refreshToken },
    "post /api/v1/logout": { ...open, body: refreshToken },
    // Only emails about new devices contain such a token; the tests of those emails cover the valid request.
    "get /api/v1/session-end": { ...open, search: "token=unknown", answers: [404] },
    "post /api/v1/session-end": { ...open, form: "token=unknown", answers: [404] },
    // invitation-page.test.ts covers the page of an open invitation.
    "get /api/v1/invitations/open": { ...open, search: "token=unknown", answers: [400] },
    "get /api/v1/settings": { ...open, search: `company_id=${company.id}` },
    "get /.well-known/jwks.json": open,
    "get /api/v1/health": open,
    "get /api/v1/scheduled-jobs": { role: "staff", isTimed: true },
    "get /api/v1/scheduled-jobs/{job}/runs": { role: "staff", companyRow: () => "retry_mail", foreign: null },
    "get /api/v1/scheduled-jobs/runs/{id}": {
      role: "staff",
      companyRow: () => storeJobRun("retry_mail"),
      foreign: null,
    },
    "post /api/v1/management/{command}": {
      role: "operator",
      needsNoDatabase: true,
      companyRow: () => "create_sign_in_link",
      foreign: null,
      body: () => ({ flags: { email: freshEmail(), company: company.id } }),
    },
  };
}

async function createAuthCode(
  env: Env,
  mailbox: ReturnType<typeof createMailbox>,
  company: Company,
  redirect: string,
): Promise<string> {
  const { token } = await requestLink(env, mailbox, company, freshEmail());
  const path = `/api/v1/magic-link/verify?token=${token}&company_id=${company.id}`;
  const page = await callIdentity(env, path, { headers: { accept: "text/html" } });
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const form = new URLSearchParams({ token, company_id: String(company.id), csrf_token: csrf });
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  const response = await callIdentity(env, path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", cookie },
    body: form.toString(),
  });
  const location = new URL(response.headers.get("location") ?? redirect);
  return location.searchParams.get("platform_auth_code") ?? "";
}

type TestUsers = {
  company: Company;
  other: Company;
  member: TestUser;
  owner: TestUser;
  foreignOwner: TestUser;
  foreignMember: TestUser;
};

/** Facts about operations on the caller's own account. */
function memberFacts({ company, other, member, foreignOwner }: TestUsers): Record<string, Facts> {
  const memberOnly = { role: "member" } as const;
  const pat = {
    ...memberOnly,
    companyRow: () => storePat(company, member),
    foreign: () => storePat(other, foreignOwner),
  };
  return {
    "get /api/v1/sessions": memberOnly,
    "delete /api/v1/sessions/{id}": {
      ...memberOnly,
      companyRow: () => storeSession(company, member),
      foreign: () => storeSession(other, foreignOwner),
    },
    "get /api/v1/user": memberOnly,
    "patch /api/v1/user": { ...memberOnly, body: () => ({ name: "Mina Laurent" }) },
    "put /api/v1/user": {
      ...memberOnly,
      body: () => ({ data: { team: "blue", platformPreferences: { language: "fr", region: "Europe/Paris" } } }),
    },
    // The sign-in is too old to delete the account; account-deletion.test.ts covers the valid request.
    "delete /api/v1/user": { ...memberOnly, body: () => ({ confirm: true }), answers: [403], fixedStatus: 403 },
    "get /api/v1/preferences": memberOnly,
    "put /api/v1/preferences": { ...memberOnly, body: () => ({ language: "fr", region: "Europe/Paris" }) },
    "delete /api/v1/preferences": memberOnly,
    "get /api/v1/personal-access-tokens": memberOnly,
    "post /api/v1/personal-access-tokens": { ...memberOnly, body: () => ({ name: "Nightly report", expires_in: 600 }) },
    "get /api/v1/personal-access-tokens/{id}": pat,
    "patch /api/v1/personal-access-tokens/{id}": { ...pat, body: () => ({ name: "Weekly report" }) },
    "delete /api/v1/personal-access-tokens/{id}": pat,
    "post /api/v1/personal-access-tokens/{id}/revoke": pat,
    "post /api/v1/personal-access-tokens/{id}/reissue": { ...pat, body: () => ({ expires_in: 600 }) },
  };
}

/** Facts about operations for owners and staff of a company. */
function adminFacts({ company, other, member, foreignMember }: TestUsers): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const newUser = (id: number) => async () => String(await createUser({ email: freshEmail(), company: id }));
  const user = { ...admin, companyRow: newUser(company.id), foreign: () => String(foreignMember.id) };
  const companyRow = { companyRow: () => String(company.id), foreign: () => String(other.id) };
  const companyChange = { ...admin, ...companyRow, hasStaffFields: true, body: () => ({ name: "Aster Labs" }) };
  const client = {
    ...admin,
    companyRow: () => storeClient(company),
    foreign: () => storeClient(other),
  };
  const redirect = { ...admin, companyRow: () => storeRedirect(company), foreign: () => storeRedirect(other) };
  const group = { ...admin, companyRow: () => storeGroup(company), foreign: () => storeGroup(other) };
  const invitation = { ...admin, companyRow: () => storeInvitation(company), foreign: () => storeInvitation(other) };
  const event = { ...admin, companyRow: () => loginEventOf(company), foreign: () => loginEventOf(other) };
  const hosting = {
    ...admin,
    foreignCompany: "400 company_id_not_allowed",
    body: () => ({ base_url: "https://preview.example.com" }),
  };
  const sessionOf = (sessionCompany: Company, user: TestUser) => async () => ({
    id: String(user.id),
    session_id: await storeSession(sessionCompany, user),
  });
  const facts: Record<string, Facts> = {
    "get /api/v1/auth-methods": admin,
    "patch /api/v1/auth-methods": { ...admin, body: () => ({ enable_magic_link: true }) },
    "put /api/v1/auth-methods": { ...admin, body: () => ({ enable_magic_link: true }) },
    "get /api/v1/oauth-provider-catalog": admin,
    "get /api/v1/oauth-clients": admin,
    "post /api/v1/oauth-clients": {
      ...admin,
      body: () => ({
        provider: "github",
        client_id: "Iv1.client",
        client_secret: "secret",
      }),
    },
    "get /api/v1/oauth-clients/{id}": client,
    "patch /api/v1/oauth-clients/{id}": { ...client, body: () => ({ label: "Acme" }) },
    "put /api/v1/oauth-clients/{id}": { ...client, body: () => ({ label: "Acme" }) },
    "delete /api/v1/oauth-clients/{id}": client,
    "get /api/v1/oauth-redirects": admin,
    "post /api/v1/oauth-redirects": { ...admin, body: () => ({ base_url: freshOrigin(), label: "App" }) },
    "get /api/v1/oauth-redirects/{id}": redirect,
    "patch /api/v1/oauth-redirects/{id}": { ...redirect, body: () => ({ label: "App" }) },
    "delete /api/v1/oauth-redirects/{id}": redirect,
    "put /api/v1/hosting-oauth-redirects": hosting,
    "delete /api/v1/hosting-oauth-redirects": hosting,
    "get /api/v1/login-events": admin,
    "get /api/v1/overview": { ...admin, dependentQueries: ["all"] },
    "get /api/v1/login-events/{id}": event,
    "get /api/v1/metrics": admin,
    "get /api/v1/metrics/all": { role: "staff" },
    "get /api/v1/users": admin,
    "get /api/v1/users/audience": admin,
    "get /api/v1/access": { ...admin, search: `email=${encodeURIComponent(freshEmail())}` },
    "get /api/v1/users/{id}/access": user,
    "get /api/v1/users/{id}": user,
    "put /api/v1/users/{id}": { ...user, body: () => ({ first_name: "Mina", data: { team: "blue" } }) },
    "delete /api/v1/users/{id}": user,
    "get /api/v1/users/{id}/sessions": user,
    "delete /api/v1/users/{id}/sessions": user,
    "delete /api/v1/users/{id}/sessions/{session_id}": {
      ...admin,
      companyRow: sessionOf(company, member),
      foreign: sessionOf(other, foreignMember),
    },
    "get /api/v1/groups": admin,
    "post /api/v1/groups": { ...admin, body: () => ({ display_name: `Group ${crypto.randomUUID()}` }) },
    "get /api/v1/groups/{id}": group,
    "put /api/v1/groups/{id}": { ...group, body: () => ({ display_name: `Group ${crypto.randomUUID()}` }) },
    "patch /api/v1/groups/{id}": { ...group, body: () => ({ user_ids: [] }) },
    "delete /api/v1/groups/{id}": group,
    "get /api/v1/scim": admin,
    "get /api/v1/scim/events": admin,
    "get /api/v1/scim/tokens": admin,
    "post /api/v1/scim/tokens": { ...admin, body: () => ({ name: "Directory" }) },
    "post /api/v1/scim/tokens/{id}/revoke": {
      ...admin,
      companyRow: async () => (await storeScimToken(company)).id,
      foreign: async () => (await storeScimToken(other)).id,
    },
    "post /api/v1/scim/preview": {
      ...admin,
      maxBytes: 1_048_576,
      body: () => ({ method: "POST", path: "/Users", body: { userName: freshEmail() } }),
    },
    "get /api/v1/invitations": admin,
    "post /api/v1/invitations": { ...admin, body: () => ({ email: freshEmail(), language: "fr" }) },
    "post /api/v1/invitations/batch": {
      ...admin,
      maxBytes: 256 * 1024,
      // One invitation, because a batch that is larger than the rate limit returns 400 instead of 429.
      body: () => ({ invitations: [{ email: freshEmail() }], send_mail: false }),
    },
    "get /api/v1/invitations/{id}": invitation,
    "post /api/v1/invitations/{id}/resend": { ...invitation, body: () => ({ send_mail: false }) },
    "post /api/v1/invitations/{id}/revoke": invitation,
    "delete /api/v1/invitations/{id}": {
      ...invitation,
      companyRow: () => storeInvitation(company, { status: "revoked" }),
    },
    "get /api/v1/companies": { role: "member" },
    "post /api/v1/companies": { role: "staff", body: () => ({ name: "Aster Labs" }) },
    "get /api/v1/companies/{id}": { role: "member", ...companyRow },
    "patch /api/v1/companies/{id}": companyChange,
    "put /api/v1/companies/{id}": companyChange,
  };
  for (const root of ["/api/v1/events", "/api/v1/actions/event-log"]) {
    for (const path of [root, `${root}/types`, `${root}/retention`]) facts[`get ${path}`] = admin;
    facts[`get ${root}/{id}`] = event;
  }
  return facts;
}
