import { beforeEach, expect, vi } from "vitest";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  signIn,
} from "../identity/identity";
import { ownLocks } from "./jobs";

export const OPERATOR_KEY = `opk_${"k".repeat(40)}`;

type Method = "log" | "warn" | "error";

/** Holds what each test of the file writes to the console; answers the lines of a method, parsed. */
export function holdConsole(): (method: Method) => Record<string, unknown>[] {
  const logged: Record<Method, string[]> = { log: [], warn: [], error: [] };
  beforeEach(() => {
    for (const method of ["log", "warn", "error"] as const) {
      logged[method] = [];
      vi.spyOn(console, method).mockImplementation((line) => void logged[method].push(String(line)));
    }
  });
  return (method) => logged[method].map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Bindings with locks of the test's own, and a staff user, an owner and a member who are signed in. */
export async function setUpJobs(vars: Record<string, unknown> = {}) {
  const mailbox = createMailbox();
  const locks = await ownLocks();
  const env = { ...identityEnv(mailbox, { OPERATOR_KEY }), BROKER: locks, ...vars } as ReturnType<typeof identityEnv>;
  const company = await createCompany();
  const signedIn = identityEnv(mailbox);
  const person = async (options: Partial<Parameters<typeof createUser>[0]>) => {
    const email = freshEmail();
    const id = await createUser({ email, company: company.id, ...options });
    return { id, token: (await signIn(signedIn, mailbox, company, email)).access_token };
  };
  const staff = await person({ staff: true });
  const get = (path: string, token: string | null = staff.token) =>
    callIdentity(env, path, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });
  const read = async <T = Record<string, never>>(path: string): Promise<T> => {
    const response = await get(path);
    expect(response.status).toBe(200);
    return response.json<T>();
  };
  return { env, mailbox, locks, company, person, staff, get, read };
}

/** Status and error code of an answer. */
export const codeOf = async (response: Response) => [
  response.status,
  (await response.json<{ error_code: string }>()).error_code,
];
