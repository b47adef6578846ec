import type { SessionUser } from "../adapters/adapter.ts";
import { fieldsOf } from "../adapters/call.ts";

/**
 * The stored session (`platform:session`). `generation` increases with every rotation of the refresh token. `refreshToken` is
 * null after the service has ended the session, so that other tabs end it too.
 */
export type SessionRecord = {
  v: 1;
  generation: number;
  refreshToken: string | null;
  backend: string;
  companyId: number | null;
  user: SessionUser | null;
};

/** The service and company that a record belongs to. */
export type Owner = Pick<SessionRecord, "backend" | "companyId">;

export type Records = {
  read: () => SessionRecord | null;
  write: (record: Omit<SessionRecord, "v" | keyof Owner>) => void;
  clear: () => void;
  /** calls `changed` after other tabs changed the record */
  listen: (changed: () => void) => void;
};

export const recordKey = "platform:session";

/** Parses a stored record. Returns null when it is invalid or belongs to another service or company. */
export function parseRecord(text: string | null, owner: Owner): SessionRecord | null {
  let stored: Record<string, unknown>;
  try {
    stored = fieldsOf(JSON.parse(text ?? "null"));
  } catch {
    return null;
  }
  const { v, generation, refreshToken, backend, companyId, user } = stored;
  if (v !== 1 || backend !== owner.backend || companyId !== owner.companyId) return null;
  if (typeof generation !== "number" || !(typeof refreshToken === "string" || refreshToken === null)) return null;
  // `user` is not validated, because only this module writes it. A script that could forge it already controls this origin.
  return {
    v,
    generation,
    refreshToken,
    ...owner,
    user: typeof user === "object" ? (user as SessionUser | null) : null,
  };
}

/** Returns functions that read and write the record of this browser. Without storage, the record lasts as long as the page. */
export function createRecords(owner: Owner): Records {
  let current: string | null = null;
  let isStored = true;
  const load = () => {
    try {
      if (isStored) current = localStorage.getItem(recordKey);
    } catch {
      isStored = false;
    }
    return current;
  };
  const save = (text: string | null) => {
    current = text;
    try {
      if (text === null) localStorage.removeItem(recordKey);
      else localStorage.setItem(recordKey, text);
    } catch {
      isStored = false;
    }
  };
  return {
    read: () => parseRecord(load(), owner),
    write: (record) => save(JSON.stringify({ v: 1, ...record, ...owner } satisfies SessionRecord)),
    clear: () => save(null),
    listen: (changed) =>
      addEventListener("storage", ({ key }) => {
        if (key === recordKey || key === null) changed();
      }),
  };
}
