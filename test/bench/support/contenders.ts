import type { MailSinkState } from "../mail-sink/worker.ts";
import { type Entry, sumOf } from "../meter/tally.ts";
import { type Call, type CallResponse, sendAll } from "./load.ts";
import { post, signInCalls, type Tokens, tokenOf } from "./person.ts";

export const operations = ["link request", "consume", "refresh", "GET /user"] as const;
export type Operation = (typeof operations)[number];

/** The users who sign in. `firstAddress` is the number of the first user's network address. */
export type Group = { people: number[]; firstAddress: number };

/** A measured system. `run` returns null for an operation that the system does not have. */
export type Contender = {
  name: string;
  run: (operation: Operation, group: Group) => Promise<{ perSecond: number } | null>;
};

/**
 * The number of calls that one run of a platform operation makes to D1, Durable Objects and the mail service. The bare
 * Worker makes the same calls without other work. `statements` is the number of statements in all reads and writes,
 * and `rows` the number of written rows.
 */
export type Trips = {
  reads: number;
  writes: number;
  statements: number;
  rows: number;
  objects: number;
  mails: number;
};

const MAIL_MS = 30_000;
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
export const emailOf = (person: number) => `person${person}@example.com`;

type TimedCalls = { responses: CallResponse[]; perSecond: number };

async function timeCalls(calls: Call[]): Promise<TimedCalls> {
  const { responses, startedAt, endedAt } = await sendAll(calls);
  return { responses, perSecond: (calls.length / (endedAt - startedAt)) * 1000 };
}

/**
 * Like `timeCalls`, but the measurement ends with the last mail, because sending the mail is part of the request. `links`
 * has the sign-in links by email address.
 */
async function timeCallsWithMails(
  sink: string,
  calls: Call[],
): Promise<TimedCalls & { links: Record<string, string> }> {
  await fetch(sink, { method: "DELETE" });
  const { responses, startedAt, endedAt } = await sendAll(calls);
  for (const end = Date.now() + MAIL_MS; ; await pause(20)) {
    const { links, mailCount, lastAt } = (await (await fetch(sink)).json()) as MailSinkState;
    if (mailCount >= calls.length) {
      // Gives the service time to store that the mails were accepted, so that this work does not slow down the next
      // measurement.
      await pause(200);
      return { responses, links, perSecond: (calls.length / (Math.max(endedAt, lastAt) - startedAt)) * 1000 };
    }
    if (Date.now() > end) throw new Error(`${mailCount} of ${calls.length} mails arrived`);
  }
}

const requireValue = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw new Error(`no ${what}`);
  return value;
};

/** Returns identity at `url` as a contender, with `sink` instead of the email service. */
export function platformAt(url: string, sink: string): Contender {
  const calls = signInCalls(url);
  const links = new Map<number, string>();
  const sessions = new Map<number, Tokens>();
  const sessionOf = (person: number) => requireValue(sessions.get(person), "session");
  return {
    name: "platform",
    run: async (operation, { people, firstAddress }) => {
      const callsFor = (make: (person: number, from: number) => Call) =>
        people.map((person, index) => make(person, firstAddress + index));
      const storeSessions = ({ responses }: TimedCalls) =>
        people.forEach((person, index) => {
          sessions.set(person, JSON.parse(requireValue(responses[index], "response").text) as Tokens);
        });
      if (operation === "link request") {
        const result = await timeCallsWithMails(
          sink,
          callsFor((person, from) => calls.requestLink(from, emailOf(person))),
        );
        for (const person of people) links.set(person, requireValue(result.links[emailOf(person)], "link"));
        return result;
      }
      if (operation === "GET /user") return timeCalls(callsFor((person, from) => calls.user(from, sessionOf(person))));
      const result = await timeCalls(
        callsFor((person, from) =>
          operation === "refresh"
            ? calls.refresh(from, sessionOf(person))
            : calls.consume(from, tokenOf(requireValue(links.get(person), "link"))),
        ),
      );
      storeSessions(result);
      return result;
    },
  };
}

/** Returns better-auth at `url` as a contender. Its sessions are cookies, so it has no refresh. */
export function betterAuthAt(url: string, sink: string): Contender {
  const links = new Map<number, string>();
  const cookies = new Map<number, string>();
  const get = (path: string, cookie?: string): Call => ({
    url: `${url}/api/auth/${path}`,
    method: "GET",
    headers: cookie === undefined ? {} : { cookie },
  });
  return {
    name: "better-auth",
    run: async (operation, { people, firstAddress }) => {
      if (operation === "refresh") return null;
      if (operation === "GET /user") {
        const result = await timeCalls(
          people.map((person) => get("get-session", requireValue(cookies.get(person), "cookie"))),
        );
        if (result.responses.some(({ text }) => !text.includes("@")))
          throw new Error("better-auth did not recognize a session");
        return result;
      }
      if (operation === "consume") {
        const result = await timeCalls(
          people.map((person) => get(`magic-link/verify?token=${tokenOf(requireValue(links.get(person), "link"))}`)),
        );
        people.forEach((person, index) => {
          const cookieHeaders = requireValue(result.responses[index]?.headers["set-cookie"], "cookie");
          cookies.set(person, cookieHeaders.map((cookie) => cookie.split(";")[0]).join("; "));
        });
        return result;
      }
      const result = await timeCallsWithMails(
        sink,
        people.map((person, index) =>
          post(`${url}/api/auth/sign-in/magic-link`, firstAddress + index, { email: emailOf(person) }),
        ),
      );
      for (const person of people) links.set(person, requireValue(result.links[emailOf(person)], "link"));
      return result;
    },
  };
}

/** Returns the bare Worker at `url` as a contender. It makes the counted calls of the platform's operations. */
export function bareAt(url: string, trips: Record<Operation, Trips>): Contender {
  return {
    name: "bare",
    run: async (operation, { people }) => {
      const query = new URLSearchParams(Object.entries(trips[operation]).map(([name, count]) => [name, String(count)]));
      return timeCalls(people.map((): Call => ({ url: `${url}/?${query}`, method: "GET", headers: {} })));
    },
  };
}

/** Sums the counted entries of an operation. A link request also sends one mail. */
export function tripsOf(operation: Operation, entries: Entry[]): Trips {
  const trips = (name: string) =>
    sumOf(
      entries.filter((entry) => entry.name === name),
      "round trip",
    ).calls;
  return {
    reads: trips("that reads"),
    writes: trips("that writes"),
    statements: sumOf(entries, "statement").calls,
    rows: sumOf(entries, "statement").written,
    objects: sumOf(entries, "object call").calls,
    mails: operation === "link request" ? 1 : 0,
  };
}
