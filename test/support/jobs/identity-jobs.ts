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
import { isolatedLocks } from "./jobs";

export const OPERATOR_KEY = `opk_${"k".repeat(40)}`;

type Method = "log" | "warn" | "error";

/** Captures the console output of each test in the file. The returned function parses the lines of a method. */
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

/**
 * Creates a company with a signed-in staff user, and bindings with lock objects of their own. Returns functions that
 * sign in further users and send requests.
 */
export async function setUpJobs(vars: Record<string, unknown> = {}) {
  const mailbox = createMailbox();
  const locks = await isolatedLocks();
  const env = { ...identityEnv(mailbox, { OPERATOR_KEY }), BROKER: locks, ...vars } as ReturnType<typeof identityEnv>;
  const company = await createCompany();
  const signedIn = identityEnv(mailbox);
  const signInUser = async (options: Partial<Parameters<typeof createUser>[0]>) => {
    const email = freshEmail();
    const id = await createUser({ email, company: company.id, ...options });
    return { id, token: (await signIn(signedIn, mailbox, company, email)).access_token };
  };
  const staff = await signInUser({ staff: true });
  const get = (path: string, token: string | null = staff.token) =>
    callIdentity(env, path, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });
  const read = async <T = Record<string, never>>(path: string): Promise<T> => {
    const response = await get(path);
    expect(response.status).toBe(200);
    return response.json<T>();
  };
  return { env, mailbox, locks, company, person: signInUser, staff, get, read };
}

/** Returns the status and error code of a response. */
export const codeOf = async (response: Response) => [
  response.status,
  (await response.json<{ error_code: string }>()).error_code,
];
