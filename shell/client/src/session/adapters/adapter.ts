import type { PageBackend } from "../../../../../schemas/shell/page.ts";
import type { LocalSettings } from "../../shell/settings.ts";

/** The signed-in user. */
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

/** Preferences stored with the account. */
export type Preferences = Pick<LocalSettings, "themeName" | "language" | "region" | "colorScheme" | "pinned">;

/** A token pair. `expiresIn` is in seconds from the receipt of the pair, so that a wrong clock does not matter. */
export type Tokens = { accessToken: string; refreshToken: string; expiresIn: number };

/** The sign-in methods that the service offers now. `linkSeconds` is the lifetime of a link, or null if it is unknown. */
export type LiveSettings = {
  /** ids of enabled methods; the sign-in page offers only methods that the shell defines */
  methods: string[];
  providers: string[];
  signInCode: boolean;
  linkSeconds: number | null;
};

export type LinkRequest = { email: string; redirectTo: string; language: string; challenge?: string };
export type AuthorizeRequest = { provider: string; redirectTo: string; challenge: string };
export type CodeExchange = { code: string; redirectTo: string; verifier?: string };

/** A signed-in browser or application. Times are ISO 8601 strings. */
export type Device = {
  id: string;
  created_at: string;
  last_refresh_at: string | null;
  provider: string;
  country: string | null;
  user_agent: string | null;
  current: boolean;
};

/**
 * The operations that the shell needs from an auth service. They reject with a `ServiceError`. Optional operations are absent
 * if the service does not support them.
 */
export type Adapter = {
  liveSettings: () => Promise<LiveSettings>;
  requestLink: (request: LinkRequest) => Promise<void>;
  verifyCode: (typed: { email: string; code: string }) => Promise<Tokens>;
  /** returns the URL of the service that starts a sign-in with a provider */
  authorizeUrl: (request: AuthorizeRequest) => string;
  exchangeCode: (exchange: CodeExchange) => Promise<Tokens>;
  /** signs in with the browser's wallet */
  signInWithWallet?: () => Promise<Tokens>;
  refresh: (refreshToken: string) => Promise<Tokens>;
  logout: (session: { accessToken: string | null; refreshToken: string }) => Promise<void>;
  savePreferences: (accessToken: string, change: Preferences) => Promise<void>;
  /** returns the paths of the pinned places */
  loadPinned: (accessToken: string) => Promise<string[]>;
  saveName: (accessToken: string, name: string) => Promise<void>;
  listDevices?: (accessToken: string) => Promise<Device[]>;
  endDevice?: (accessToken: string, id: string) => Promise<void>;
  deleteAccount?: (accessToken: string) => Promise<void>;
};

/** Loads the adapter of the configured service. */
export async function loadAdapter(backend: PageBackend): Promise<Adapter> {
  if (backend.type === "platform") return (await import("./platform.ts")).createPlatformAdapter(backend);
  return (await import("./supabase.ts")).createSupabaseAdapter(backend);
}
