import { eq } from "drizzle-orm";
import type { MessageRow } from "../../../db/email/rows";
import { messages } from "../../../db/email/schema";
import type { EmailBindings } from "../../../workers/email/bindings";
import { openMessage } from "../../../workers/email/delivery/messages/mail";
import { keysOf } from "../../../workers/email/keys";
import { type EmailHarness, testEnv } from "./email";
import { startNewsletter } from "./newsletters";
import { readRows } from "./rows";

export const PUBLIC = "/api/v1/public/newsletters";

/** Returns a random address of the documentation network 2001:db8::/32, each in a /64 of its own. */
export function uniqueIp(): string {
  const part = () => Math.floor(Math.random() * 65_536).toString(16);
  return `2001:db8:${part()}:${part()}::1`;
}

type SignUpOptions = {
  headers?: Record<string, string>;
  form?: boolean;
  bindings?: Partial<EmailBindings>;
  ip?: string;
};

/** Starts a newsletter with functions that sign addresses up and read the mails that ask for a confirmation. */
export async function startSignUp(email: EmailHarness, fields: object = {}) {
  const newsletter = await startNewsletter(email, fields);
  const { list, companyId } = newsletter;
  const path = `${PUBLIC}/${list.public_key}`;
  const subscribe = (body: Record<string, unknown>, options: SignUpOptions = {}) => {
    const { headers = {}, form = false, bindings = {}, ip = uniqueIp() } = options;
    return email.call(`${path}/subscribe`, {
      method: "POST",
      bindings,
      headers: {
        "CF-Connecting-IP": ip,
        "content-type": form ? "application/x-www-form-urlencoded" : "application/json",
        ...headers,
      },
      body: form ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body),
    });
  };
  const mails = () => readRows(messages, eq(messages.company_id, companyId));
  /** Returns the path of the confirmation link in a mail. */
  const linkOf = async (message: MessageRow | undefined) => {
    const opened = message === undefined ? null : await openMessage(message, await keysOf(testEnv));
    return new URL(String(opened?.variables.confirm_url)).pathname.replace("/email", "");
  };
  return { ...newsletter, publicPath: path, subscribe, mails, linkOf };
}

/** Returns the bindings of a database that records the texts of its statements, one list for each round trip. */
export function recordStatements(): { bindings: Partial<EmailBindings>; roundTrips: string[][] } {
  const roundTrips: string[][] = [];
  const texts = new WeakMap<object, string>();
  const { DB } = testEnv;
  const withSession = (constraint: D1SessionConstraint) => {
    const session = DB.withSession(constraint);
    const wrap = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
      texts.set(statement, text);
      return new Proxy(statement, {
        get(target, name) {
          if (name === "bind") return (...values: unknown[]) => wrap(target.bind(...values), text);
          if (name === "all") {
            return () => {
              roundTrips.push([text]);
              return target.all();
            };
          }
          return name === "inner" ? target : Reflect.get(target, name);
        },
      });
    };
    return {
      prepare: (text: string) => wrap(session.prepare(text), text),
      batch: (statements: { inner: D1PreparedStatement }[]) => {
        roundTrips.push(statements.map(({ inner }) => texts.get(inner) ?? ""));
        return session.batch(statements.map(({ inner }) => inner));
      },
      getBookmark: () => session.getBookmark(),
    };
  };
  return { bindings: { DB: { withSession } as unknown as D1Database }, roundTrips };
}
