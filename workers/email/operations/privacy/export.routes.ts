import * as z from "zod";
import { type AddressExport, eraseBody, exportSchema } from "../../../../schemas/email/audience/privacy";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { actionEntry, actorOf } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { readPage, splitPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { invalid } from "../../../kit/problem";
import { iso } from "../../../kit/time";
import type { EmailService } from "../../http";
import { listedAddresses, rulesContaining } from "../../intake/rules/erased-recipient";
import { hashAddress, readAddress } from "../../records/seal/address";
import { type ExportResults, selectExport } from "./export.store";

const body = lazySchema(() =>
  eraseBody
    .unwrap()
    .extend({ company_id: z.int("invalid").min(1, "invalid").nullish() })
    .meta({ examples: [{ email: "mina@aster.example" }] }),
);
const positionSchema = lazySchema(() => z.tuple([z.int().min(0), z.string().regex(/^[0-9a-f]{32}$/)]));

/** `POST /api/v1/privacy/export`: export data about an address; see docs/specification/email-recipients.md#export. */
export function mountPrivacyExport({ call }: EmailService): void {
  call(
    {
      method: "post",
      path: "/api/v1/privacy/export",
      tags: ["Privacy"],
      summary: "Export what a company stores about an address, page by page",
      description:
        "Messages without their contents, which are not stored; suppressions, unsubscribes and newsletters; events that created no mail.",
      role: "owner",
      query: lazySchema(() =>
        z.object({ company_id: z.string().optional(), limit: z.string().optional(), cursor: z.string().optional() }),
      ),
      input: ({ query }) => readPage(query, positionSchema),
      body: {
        schema: body,
        read: (raw) => {
          const address = readAddress(parse(body, raw).email);
          if (address === null) throw invalid({ email: ["invalid_format"] });
          return address;
        },
      },
      responses: { 200: jsonResponse(exportSchema, "The stored data, with one page of messages") },
    },
    async ({ c, services, caller, scope: companyId, input: { limit, after }, body: address }) => {
      const { peppers } = await services.keys();
      const hashes = await Promise.all(peppers.map((pepper) => hashAddress(pepper, address)));
      const [beforeTime, beforeId] = after ?? [Number.MAX_SAFE_INTEGER, ""];
      const audit = { companyId, action: "privacy.exported", target: "address", now: services.clock.now() };
      const entry = actionEntry({ ...audit, actor: actorOf(caller) });
      const page = { companyId, hashes, beforeTime, beforeId, limit: limit + 1 };
      const { lists, ...results } = await services.dbOf(companyId).batch({
        ...selectExport(page, entry),
        lists: listedAddresses(companyId),
      });
      const rules = (await rulesContaining(services, address, lists.rows)).map(({ id, service, event_type }) => ({
        id,
        service,
        event_type,
      }));
      return c.json({ company_id: companyId, email: address, ...present(results, limit), rules });
    },
  );
}

function present(results: ExportResults, limit: number): Omit<AddressExport, "company_id" | "email" | "rules"> {
  const { rows, next_cursor } = splitPage(results.messages.rows, limit, (row) => [row.accepted_at, row.id]);
  const withIsoTime = <T extends { created_at: number }>(row: T) => ({ ...row, created_at: iso(row.created_at) });
  return {
    messages: rows.map((row) => ({
      ...row,
      id: `msg_${row.id}`,
      accepted_at: iso(row.accepted_at),
      sent_at: iso(row.sent_at),
      events: row.events.map(({ type, at }) => ({ type, at: iso(at) })),
    })),
    suppressions: results.suppressions.rows.map((row) => ({ ...withIsoTime(row), expires_at: iso(row.expires_at) })),
    unsubscribes: results.unsubscribes.rows.map(withIsoTime),
    decisions: results.decisions.rows.map(withIsoTime),
    broadcasts: results.broadcasts.rows,
    newsletters: results.newsletters.rows.map(({ confirmed_at, unsubscribed_at, consent, ...row }) => ({
      ...withIsoTime(row),
      confirmed_at: iso(confirmed_at),
      unsubscribed_at: iso(unsubscribed_at),
      consent: consent === null ? null : { ...consent, at: iso(consent.at) },
    })),
    next_cursor,
  };
}
