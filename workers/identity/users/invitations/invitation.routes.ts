import * as z from "zod";
import {
  invitationBatchBody,
  invitationBatchResult,
  invitationBody,
  invitationFilter,
  invitationItem,
  invitationPageSchema,
  invitationQuery,
  invitationSchema,
  resendBody,
  sentInvitationSchema,
} from "../../../../schemas/identity/people/invitations";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { byNumber, presentPage, readPage } from "../../../kit/http/paging/page";
import { scanOfPage, splitScan } from "../../../kit/http/paging/scan";
import { fieldErrors, parse } from "../../../kit/http/request/parse";
import { rowByUuid } from "../../../kit/http/resource";
import { invalid } from "../../../kit/problem";
import { selectOldestOrigin } from "../../company/redirects/oauth-redirect";
import type { IdentityService } from "../../http";
import { statusOf } from "../../sign-in/completion/page-answer";
import {
  invite,
  liftRevocation,
  limitInvitations,
  type Outcome,
  readAppUrl,
  requireWithinLimit,
  resendInvitation,
  revoke,
  type SentInvitation,
  type Target,
} from "./invitation";
import { presentInvitation } from "./invitation.present";
import { findInvitation, listInvitations } from "./invitation.store";

const PATH = "/api/v1/invitations";
const common = { tags: ["Invitations"], role: "owner" } as const;
const position = lazySchema(() => z.tuple([z.string().max(36)]));
/** sorts after every id, so that the first page starts with the newest invitation */
const END = "~";
/** a batch of 200 invitees with 20 groups each */
const MAX_BATCH_BYTES = 256 * 1024;

/** Mounts the endpoints of a company's invitations, for staff and owners: docs/specification/invitations.md */
export function mountInvitations({ call }: IdentityService): void {
  const one = { ...common, ...rowByUuid(findInvitation) };
  const row = jsonResponse(invitationSchema, "The invitation");
  const sent = jsonResponse(sentInvitationSchema, "The invitation");
  const origin = { reads: ({ companyId }: { companyId: number }) => ({ origin: selectOldestOrigin(companyId) }) };
  call(
    {
      ...common,
      method: "get",
      path: PATH,
      summary: "List invitations, newest first. Without the `status` parameter, lists open and revoked invitations",
      query: invitationQuery,
      input: ({ query, services }) => ({
        filter: parse(invitationFilter, query),
        page: readPage(query, position, byNumber),
        now: services.clock.now(),
      }),
      reads: ({ companyId, input: { filter, page, now } }) => ({
        rows: listInvitations({
          companyId,
          before: page.after?.[0] ?? END,
          status: filter.status ?? null,
          mailState: filter.mail_state ?? null,
          now,
          ...scanOfPage(page, true),
        }),
      }),
      responses: { 200: jsonResponse(invitationPageSchema, "A page") },
    },
    ({ c, input: { page, now }, results }) =>
      c.json(
        presentPage(
          page,
          splitScan(results.rows.rows, page, ({ id }) => [id]),
          (row) => presentInvitation(row, now),
        ),
      ),
  );
  call(
    {
      ...common,
      ...origin,
      method: "post",
      path: PATH,
      summary: "Invite a person",
      query: companyQuery,
      body: bodyOf(invitationBody),
      responses: { 201: sent },
      errorCodes: ["already_member", "already_invited", "rate_limited"],
    },
    async ({ c, services, request, caller, scope: company, results, body }) => {
      const target = { services, request, caller, company };
      const appUrl = await readAppUrl(target, body.app_url, results.origin.first?.base_url ?? null);
      await limitInvitations(target, 1);
      const [outcome] = await invite(target, [body], { appUrl, sendMail: body.send_mail });
      if (outcome === undefined || "problem" in outcome) throw outcome?.problem;
      return c.json(presentSent(target, outcome), 201);
    },
  );
  call(
    {
      ...common,
      ...origin,
      method: "post",
      path: `${PATH}/batch`,
      summary: "Invite up to 200 people; the response has a result for each",
      query: companyQuery,
      body: bodyOf(invitationBatchBody, { limit: MAX_BATCH_BYTES }),
      responses: { 200: jsonResponse(invitationBatchResult, "One result per item, in the order of the items") },
      errorCodes: ["rate_limited"],
    },
    async ({ c, services, request, caller, scope: company, results, body }) => {
      const target = { services, request, caller, company };
      requireWithinLimit(services, body.invitations.length);
      const appUrl = await readAppUrl(target, body.app_url, results.origin.first?.base_url ?? null);
      await limitInvitations(target, body.invitations.length);
      const items = body.invitations.map((item) => ({ item, parsed: invitationItem.safeParse(item) }));
      const invitees = items.flatMap(({ parsed }) => (parsed.success ? [parsed.data] : []));
      const outcomes =
        invitees.length === 0 ? [] : await invite(target, invitees, { appUrl, sendMail: body.send_mail });
      const outcomesInOrder = items.map(({ item, parsed }): Outcome => {
        const outcome = parsed.success ? outcomes.shift() : undefined;
        return outcome ?? { problem: invalid(parsed.error ? fieldErrors(parsed.error, item) : {}) };
      });
      return c.json({ results: outcomesInOrder.map((outcome) => presentOutcome(target, outcome)) });
    },
  );
  call(
    { ...one, method: "get", path: `${PATH}/{id}`, summary: "Get an invitation", responses: { 200: row } },
    ({ c, services, row: invitation }) => c.json(presentInvitation(invitation, services.clock.now())),
  );
  call(
    {
      ...one,
      method: "post",
      path: `${PATH}/{id}/resend`,
      summary: "Send an open invitation again with a new link; the old link stops working",
      body: bodyOf(resendBody, { optional: true }),
      responses: { 200: sent },
      errorCodes: ["invitation_not_pending", "rate_limited"],
    },
    async ({ c, services, request, caller, scope: company, row: invitation, body }) => {
      const target = { services, request, caller, company };
      await limitInvitations(target, 1);
      return c.json(presentSent(target, await resendInvitation(target, invitation, body.send_mail)));
    },
  );
  call(
    {
      ...one,
      method: "post",
      path: `${PATH}/{id}/revoke`,
      summary: "Revoke an open invitation; its address can no longer sign in",
      companyInBody: true,
      responses: { 200: row },
      errorCodes: ["conflict", "invitation_not_pending"],
    },
    async ({ c, services, request, caller, scope: company, row: invitation }) => {
      const revoked = await revoke({ services, request, caller, company }, invitation);
      return c.json(presentInvitation(revoked, services.clock.now()));
    },
  );
  call(
    {
      ...one,
      method: "delete",
      path: `${PATH}/{id}`,
      summary: "Lift the revocation of an invitation, so that its address can sign in again",
      responses: { 204: { description: "Lifted" } },
      errorCodes: ["invitation_not_revoked"],
    },
    async ({ c, services, request, caller, scope: company, row: invitation }) => {
      await liftRevocation({ services, request, caller, company }, invitation);
      return c.body(null, 204);
    },
  );
}

function presentSent({ services }: Target, { row, url }: SentInvitation) {
  const invitation = presentInvitation(row, services.clock.now());
  return url === null ? invitation : { ...invitation, invitation_url: url };
}

/** Returns the result of one item of a batch: its status, and the invitation or the error code. */
function presentOutcome(target: Target, outcome: Outcome) {
  if (!("problem" in outcome)) return { status: 201, invitation: presentSent(target, outcome) };
  const { problem } = outcome;
  const { field_errors } = problem.options;
  return { status: statusOf(problem), error_code: problem.code, ...(field_errors ? { field_errors } : {}) };
}
