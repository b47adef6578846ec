import type { PageBackend } from "../../../../../schemas/shell/page.ts";
import type { LocalSettings } from "../../shell/settings.ts";

/** Who is signed in. */
export type SessionUser = {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  provider: string;
  groups: string[];
  isStaff: boolean;
  isCompanyOwner: boolean;
  companyId: number | null;
};

/** What goes with the account. */
export type Preferences = Pick<LocalSettings, "themeName" | "language" | "region" | "colorScheme">;

/** A pair of tokens as it was received; `expiresIn` in seconds from the receipt, so that a wrong clock does no harm. */
export type Tokens = { accessToken: string; refreshToken: string; expiresIn: number };

/** How people can sign in now, as the service says; `linkSeconds`: how long a link works, null where it does not say. */
export type LiveSettings = {
  /** those that the shell has no definition of are not offered */
  methods: string[];
  providers: string[];
  signInCode: boolean;
  linkSeconds: number | null;
};

export type LinkRequest = { email: string; redirectTo: string; language: string; challenge?: string };
export type AuthorizeRequest = { provider: string; redirectTo: string; challenge: string };
export type CodeExchange = { code: string; redirectTo: string; verifier?: string };

/** A browser or application that is signed in. Times are ISO texts. */
export type Device = {
  id: string;
  created_at: string;
  last_refresh_at: string | null;
  provider: string;
  country: string | null;
  user_agent: string | null;
  current: boolean;
};

/** What the shell needs of an auth service; every refusal is a `Refusal`. Members that a service does not have are absent. */
export type Adapter = {
  liveSettings: () => Promise<LiveSettings>;
  requestLink: (request: LinkRequest) => Promise<void>;
  verifyCode: (typed: { email: string; code: string }) => Promise<Tokens>;
  /** address at the service where a sign-in by a provider begins */
  authorizeUrl: (request: AuthorizeRequest) => string;
  exchangeCode: (exchange: CodeExchange) => Promise<Tokens>;
  /** signs in with the wallet of the browser */
  signInWithWallet?: () => Promise<Tokens>;
  refresh: (refreshToken: string) => Promise<Tokens>;
  logout: (session: { accessToken: string | null; refreshToken: string }) => Promise<void>;
  savePreferences: (accessToken: string, change: Preferences) => Promise<void>;
  saveName: (accessToken: string, name: string) => Promise<void>;
  listDevices?: (accessToken: string) => Promise<Device[]>;
  endDevice?: (accessToken: string, id: string) => Promise<void>;
  deleteAccount?: (accessToken: string) => Promise<void>;
};

/** The adapter of a configured service, loaded when it is first needed. */
export async function loadAdapter(backend: PageBackend): Promise<Adapter> {
  if (backend.type === "platform") return (await import("./platform.ts")).createPlatformAdapter(backend);
  return (await import("./supabase.ts")).createSupabaseAdapter(backend);
}
