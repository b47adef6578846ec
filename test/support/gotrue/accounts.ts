import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { goTrueError } from "./errors.ts";

export type Fields = Record<string, unknown>;
export type Account = {
  id: string;
  email: string;
  /** ISO time; null until the user opens a link or enters a code */
  confirmedAt: string | null;
  providers: string[];
  metadata: Fields;
  isBanned: boolean;
};
type RefreshToken = { value: string; parent: string | null; isRevoked: boolean };
type Session = { id: string; person: Account; method: string; refreshTokens: RefreshToken[] };

const SECRET = "a secret of tests, at least 32 letters";
/** Lifetime of access tokens in seconds. */
const LIFETIME_SECONDS = 3600;

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const proofOf = (text: string) => createHmac("sha256", SECRET).update(text).digest("base64url");
const randomWord = (bytes: number) => randomBytes(bytes).toString("base64url").replace(/[-_]/g, "x").toLowerCase();

/** Creates the store of users, sessions and tokens. */
export function createAccounts(issuer: () => string) {
  const accounts: Account[] = [];
  const sessions = new Map<string, Session>();

  const publicOf = ({ id, email, confirmedAt, providers, metadata }: Account) => ({
    id,
    aud: "authenticated",
    role: "authenticated",
    email,
    phone: "",
    ...(confirmedAt && { email_confirmed_at: confirmedAt, confirmed_at: confirmedAt }),
    app_metadata: { provider: providers[0], providers },
    user_metadata: metadata,
    identities: [],
    created_at: confirmedAt ?? new Date().toISOString(),
    updated_at: new Date().toISOString(),
    is_anonymous: false,
  });

  function tokensOf({ id: session_id, person, method }: Session, refresh_token: string) {
    const now = Math.floor(Date.now() / 1000);
    const { id: sub, email, phone, app_metadata, user_metadata, role, aud, is_anonymous } = publicOf(person);
    const claims = {
      iss: issuer(),
      sub,
      aud,
      exp: now + LIFETIME_SECONDS,
      iat: now,
      email,
      phone,
      app_metadata,
      user_metadata,
      role,
      aal: "aal1",
      amr: [{ method, timestamp: now }],
      session_id,
      is_anonymous,
    };
    const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
    return {
      access_token: `${signed}.${proofOf(signed)}`,
      token_type: "bearer",
      expires_in: LIFETIME_SECONDS,
      expires_at: now + LIFETIME_SECONDS,
      refresh_token,
      user: publicOf(person),
    };
  }

  const addToken = ({ refreshTokens }: Session, parent: string | null) => {
    const value = randomWord(9);
    refreshTokens.push({ value, parent, isRevoked: false });
    return value;
  };

  return {
    publicOf,
    find: (email: string) => accounts.find((account) => account.email === email.toLowerCase()),

    /** Adds a user; `metadata` identifies a user without an address. */
    add(email: string, provider: string, metadata: Fields = {}): Account {
      const id = randomUUID();
      const addressClaims = email === "" ? {} : { email, email_verified: true };
      const account: Account = {
        id,
        email,
        confirmedAt: null,
        providers: [provider],
        isBanned: false,
        metadata: { ...addressClaims, phone_verified: false, sub: id, ...metadata },
      };
      accounts.push(account);
      return account;
    },
    findByIdentity: (sub: string) => accounts.find(({ metadata }) => metadata.sub === sub),

    /** Starts a session and returns its tokens. */
    issue(account: Account, method: string) {
      if (account.isBanned) throw goTrueError(403, "user_banned", "User is banned");
      account.confirmedAt ??= new Date().toISOString();
      const session: Session = { id: randomUUID(), person: account, method, refreshTokens: [] };
      sessions.set(session.id, session);
      return tokensOf(session, addToken(session, null));
    },

    /**
     * Returns the next token pair. Accepts the most recently used token once more, because its response may have been
     * lost.
     */
    refresh(refreshToken: string) {
      if (refreshToken === "") throw goTrueError(400, "validation_failed", "refresh_token required");
      const session = [...sessions.values()].find(({ refreshTokens }) =>
        refreshTokens.some((t) => t.value === refreshToken),
      );
      const token = session?.refreshTokens.find(({ value }) => value === refreshToken);
      if (session === undefined || token === undefined)
        throw goTrueError(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found");
      if (session.person.isBanned) throw goTrueError(400, "user_banned", "Invalid Refresh Token: User Banned");
      if (!token.isRevoked) {
        token.isRevoked = true;
        return tokensOf(session, addToken(session, refreshToken));
      }
      const active = session.refreshTokens.find(({ isRevoked }) => !isRevoked);
      if (active?.parent === refreshToken) return tokensOf(session, active.value);
      for (const sessionToken of session.refreshTokens) sessionToken.isRevoked = true;
      throw goTrueError(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used");
    },

    /** Returns the session of an access token. */
    sessionOf(authorization: string | undefined): Session {
      const token = /^[Bb]earer (\S+)$/.exec(authorization ?? "")?.[1];
      if (token === undefined)
        throw goTrueError(401, "no_authorization", "This endpoint requires a valid Bearer token");
      const [head = "", body = "", proof] = token.split(".");
      if (proof !== proofOf(`${head}.${body}`))
        throw goTrueError(403, "bad_jwt", "invalid JWT: unable to parse or verify signature");
      const { session_id } = JSON.parse(Buffer.from(body, "base64url").toString()) as { session_id: string };
      const session = sessions.get(session_id);
      if (session === undefined)
        throw goTrueError(403, "session_not_found", "Session from session_id claim in JWT does not exist");
      return session;
    },

    end: (session: Session) => void sessions.delete(session.id),
    /** Ends all sessions of a user, as an administrator can. */
    endAll(account: Account) {
      for (const [id, session] of sessions) if (session.person === account) sessions.delete(id);
    },
  };
}

export type Accounts = ReturnType<typeof createAccounts>;
