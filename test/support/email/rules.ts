import { eq } from "drizzle-orm";
import { decisions, library_templates, messages, type rules, skip_days } from "../../../db/email/schema";
import { send, startCompany } from "./admin";
import { createCompany, createKey, type EmailHarness, startEmail } from "./email";
import { withShownTrace } from "./messages";
import { readRows } from "./rows";

export const RULES_PATH = "/api/v1/rules";

/** A rule as the API returns it. */
export type PublicRule = {
  id: number;
  service: string;
  event_type: string;
  enabled: boolean;
  recipient_mode: string;
  static_recipients: string[];
  language: string;
  template_id: number;
  built_in: boolean;
  created_at: string;
  updated_at: string;
};

type List = { company_id: number; rules: PublicRule[]; next_cursor: string | null };

/** Returns the row of an email rule without a custom template. */
export const storedRule = (companyId: number): typeof rules.$inferInsert => ({
  company_id: companyId,
  service: "identity",
  event_type: "identity.user.created",
  enabled: true,
  template_id: 0,
  static_recipients_enc: "",
  seal_id: "x",
  built_in: false,
  created_at: 1,
  updated_at: 1,
  language: "",
  recipient_mode: "hints",
});

/** Returns the id of a built-in design. */
export async function libraryId(key = "barebone.text-only"): Promise<number> {
  const [row] = await readRows(library_templates, eq(library_templates.key, key));
  if (row === undefined) throw new Error(`no design ${key}`);
  return row.id;
}

/** Starts an email service that may use the platform sender for the next 500 companies of `createCompany`. */
export function startForAll(vars: NonNullable<Parameters<typeof startEmail>[0]>["vars"] = {}): Promise<EmailHarness> {
  const first = createCompany();
  const ids = Array.from({ length: 500 }, (_, index) => first + index);
  return startEmail({
    vars: { API_MUTATION_RATE_LIMIT: "1000000/min", EMAIL_PLATFORM_COMPANY_IDS: ids.join(","), ...vars },
  });
}

/** The response body of `POST /api/v1/events`. */
export type EventResult = {
  idempotent_replay: boolean;
  rule_enabled: boolean;
  skipped_reason?: string;
  messages: { id: string; to: string; status: string; language: string; template_version: number | null }[];
  error_code?: string;
  field_errors?: Record<string, string[]>;
};

/** Creates a company with functions that manage its email rules and post events. */
export async function startEvents(email: EmailHarness) {
  const company = await startRules(email);
  const keys = { identity: (await createKey()).key, hosting: (await createKey({ service: "hosting" })).key };
  const post = async (body: Record<string, unknown>, bearer = keys.hosting, init: EventInit = {}) => {
    const json = { company_id: company.companyId, event_type: DEPLOYED, ...body };
    const response = await email.call("/api/v1/events", { bearer, json, ...init });
    return { response, status: response.status, body: await response.json<EventResult>() };
  };
  return {
    ...company,
    keys,
    post,
    /** status, error code and fields of a rejected event */
    rejection: async (body: Record<string, unknown>, bearer?: string) => {
      const { status, body: problem } = await post(body, bearer);
      return problem.field_errors === undefined
        ? [status, problem.error_code]
        : [status, problem.error_code, problem.field_errors];
    },
    messages: async () => (await readRows(messages, eq(messages.company_id, company.companyId))).map(withShownTrace),
    decisions: () => readRows(decisions, eq(decisions.company_id, company.companyId)),
    skips: async () =>
      (await readRows(skip_days, eq(skip_days.company_id, company.companyId))).map(({ reason, n }) => [reason, n]),
  };
}

type EventInit = Pick<NonNullable<Parameters<EmailHarness["call"]>[1]>, "bindings">;

/** An event type without required variables. */
export const DEPLOYED = "hosting.deployment.failed";

/** Creates a company with functions that manage its email rules. */
export async function startRules(email: EmailHarness) {
  const company = await startCompany(email);
  const content = { library_id: await libraryId() };
  const call = (method: string, path = "", json?: unknown) =>
    send(email, company.owner, { method, path: `${RULES_PATH}${path}`, json });
  return {
    ...company,
    content,
    call,
    /** Creates a rule with the text-only design unless `body` has another content. */
    create: async (body: Record<string, unknown>): Promise<PublicRule> => {
      const response = await call("POST", "", { content, ...body });
      if (response.status !== 201) throw new Error(`no rule: ${response.status} ${await response.text()}`);
      return response.json();
    },
    list: async (query = ""): Promise<List> => (await call("GET", query)).json(),
  };
}
