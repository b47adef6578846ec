import type { BrowserContext, Route } from "playwright-core";

/** URL of the simulated service. Its host does not exist; `routeBackend` responds to the browser's requests. */
export const fakeBackendUrl = "https://identity.example";

/** Responses by path. A path with `never` gets no response; a path that is not listed gets 204. */
export type BackendResponses = Record<string, { status?: number; body?: unknown } | "never">;

export const fakeUser = { id: "7", email: "mina@example.com", name: "Mina Adel" };

/** Returns tokens as the service issues them. The shell reads their claims and does not verify them. */
export function tokensOf({ id, email, name }: typeof fakeUser = fakeUser) {
  const claims = { sub: id, email, company_id: 1, user_metadata: { full_name: name, is_company_owner: true } };
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return { access_token: `e30.${payload}.c2lnbg`, refresh_token: `prt_${id}`, expires_in: 900 };
}

const device = (id: string, overrides: object) => ({
  id,
  created_at: "2026-11-01T10:00:00Z",
  last_refresh_at: "2026-11-02T10:00:00Z",
  provider: "magic_link",
  country: "DE",
  user_agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  current: false,
  ...overrides,
});

const defaultResponses: BackendResponses = {
  "/api/v1/settings": {
    body: {
      methods: ["magic_link", "oauth"],
      oauthProviders: ["google", "github", "microsoft", "oidc"],
      sign_in_code: true,
      magic_link_ttl_seconds: 1800,
    },
  },
  "/api/v1/token": { body: tokensOf() },
  "/api/v1/oauth/session": { body: tokensOf() },
  "/api/v1/magic-link/request": { status: 204 },
  "/api/v1/magic-link/verify": { status: 400, body: { error_code: "sign_in_code_invalid" } },
  "/api/v1/sessions": {
    body: { results: [device("1", { current: true }), device("2", { user_agent: null, country: null })] },
  },
  "/storage/v1/quota": {
    body: {
      company: { used_bytes: 95e9, max_bytes: 100e9, remaining_bytes: 5e9 },
      user: { used_bytes: 5e9, max_bytes: 5e9, remaining_bytes: 0 },
    },
  },
};

/** Responds to a browser's requests to the simulated service. */
export async function routeBackend(context: BrowserContext, overrides: BackendResponses = {}): Promise<void> {
  const responses = { ...defaultResponses, ...overrides };
  await context.route(`${fakeBackendUrl}/**`, async (route: Route) => {
    const response = responses[new URL(route.request().url()).pathname];
    if (response === "never") return;
    const { status = 200, body } = response ?? { status: 204 };
    const headers = { "Access-Control-Allow-Origin": "*", "Content-Type": "application/json" };
    await route.fulfill({ status, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  });
}

/** Returns the session that the shell stores in a browser, for a user who is signed in at a service. */
export const sessionAt = (backend: string): string =>
  JSON.stringify({
    v: 1,
    generation: 1,
    refreshToken: "prt_7",
    backend,
    companyId: 1,
    user: {
      ...fakeUser,
      avatarUrl: null,
      provider: "magic_link",
      groups: [],
      isStaff: false,
      isCompanyOwner: true,
      companyId: 1,
    },
  });
