import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { refuse } from "./refusal.ts";

export type Fields = Record<string, unknown>;
export type Person = {
  id: string;
  email: string;
  /** ISO text; null until a link or a code came back */
  confirmedAt: string | null;
  providers: string[];
  metadata: Fields;
  isBanned: boolean;
};
type RefreshToken = { value: string; parent: string | null; isRevoked: boolean };
type Session = { id: string; person: Person; method: string; refreshTokens: RefreshToken[] };

const SECRET = "a secret of tests, at least 32 letters";
/** s */
const LIFE = 3600;

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const proofOf = (text: string) => createHmac("sha256", SECRET).update(text).digest("base64url");
const wordOf = (bytes: number) => randomBytes(bytes).toString("base64url").replace(/[-_]/g, "x").toLowerCase();

/** People, their sessions, and the tokens of both. */
export function createAccounts(issuer: () => string) {
  const people: Person[] = [];
  const sessions = new Map<string, Session>();

  const publicOf = ({ id, email, confirmedAt, providers, metadata }: Person) => ({
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
      ...{ iss: issuer(), sub, aud, exp: now + LIFE, iat: now, email, phone, app_metadata, user_metadata, role },
      ...{ aal: "aal1", amr: [{ method, timestamp: now }], session_id, is_anonymous },
    };
    const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
    return {
      access_token: `${signed}.${proofOf(signed)}`,
      token_type: "bearer",
      expires_in: LIFE,
      expires_at: now + LIFE,
      refresh_token,
      user: publicOf(person),
    };
  }

  const addToken = ({ refreshTokens }: Session, parent: string | null) => {
    const value = wordOf(9);
    refreshTokens.push({ value, parent, isRevoked: false });
    return value;
  };

  return {
    publicOf,
    find: (email: string) => people.find((person) => person.email === email.toLowerCase()),

    /** Somebody new; `metadata` names who has no address. */
    add(email: string, provider: string, metadata: Fields = {}): Person {
      const id = randomUUID();
      const known = email === "" ? {} : { email, email_verified: true };
      const person: Person = {
        ...{ id, email, confirmedAt: null, providers: [provider], isBanned: false },
        metadata: { ...known, phone_verified: false, sub: id, ...metadata },
      };
      people.push(person);
      return person;
    },
    findByIdentity: (sub: string) => people.find(({ metadata }) => metadata.sub === sub),

    /** A new session. */
    issue(person: Person, method: string) {
      if (person.isBanned) throw refuse(403, "user_banned", "User is banned");
      person.confirmedAt ??= new Date().toISOString();
      const session: Session = { id: randomUUID(), person, method, refreshTokens: [] };
      sessions.set(session.id, session);
      return tokensOf(session, addToken(session, null));
    },

    /** The next pair. The token that was used last may come once more, since its answer can have been lost. */
    refresh(given: string) {
      if (given === "") throw refuse(400, "validation_failed", "refresh_token required");
      const session = [...sessions.values()].find(({ refreshTokens }) => refreshTokens.some((t) => t.value === given));
      const token = session?.refreshTokens.find(({ value }) => value === given);
      if (session === undefined || token === undefined)
        throw refuse(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found");
      if (session.person.isBanned) throw refuse(400, "user_banned", "Invalid Refresh Token: User Banned");
      if (!token.isRevoked) {
        token.isRevoked = true;
        return tokensOf(session, addToken(session, given));
      }
      const active = session.refreshTokens.find(({ isRevoked }) => !isRevoked);
      if (active?.parent === given) return tokensOf(session, active.value);
      for (const other of session.refreshTokens) other.isRevoked = true;
      throw refuse(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used");
    },

    /** Whose access token it is. */
    sessionOf(authorization: string | undefined): Session {
      const token = /^[Bb]earer (\S+)$/.exec(authorization ?? "")?.[1];
      if (token === undefined) throw refuse(401, "no_authorization", "This endpoint requires a valid Bearer token");
      const [head = "", body = "", proof] = token.split(".");
      if (proof !== proofOf(`${head}.${body}`))
        throw refuse(403, "bad_jwt", "invalid JWT: unable to parse or verify signature");
      const { session_id } = JSON.parse(Buffer.from(body, "base64url").toString()) as { session_id: string };
      const session = sessions.get(session_id);
      if (session === undefined)
        throw refuse(403, "session_not_found", "Session from session_id claim in JWT does not exist");
      return session;
    },

    end: (session: Session) => void sessions.delete(session.id),
    /** What an administrator does to somebody's sessions. */
    endAll(person: Person) {
      for (const [id, session] of sessions) if (session.person === person) sessions.delete(id);
    },
  };
}

export type Accounts = ReturnType<typeof createAccounts>;
