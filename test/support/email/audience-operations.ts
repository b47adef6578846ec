import type { Facts } from "../http/route-calls";
import { storeDraftBroadcast } from "./draft-broadcasts";

const DESIGN = "barebone.text-only";

/** Facts about routes of broadcasts. */
export function broadcastFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const stored = async (companyId: number) => String((await storeDraftBroadcast(companyId)).id);
  const broadcast = { ...admin, companyRow: () => stored(company), foreign: () => stored(foreignCompany) };
  const audience = {
    mode: "pick",
    group_ids: [crypto.randomUUID()],
    roles: ["owner"],
    access: "any",
    joined_after: "2026-01-01T00:00:00.000Z",
    joined_before: "",
    seen_after: "",
    seen_before: "",
    user_ids: [7],
    emails: ["mina@example.com"],
  };
  const texts = { name: "March news", subject: "News", preheader: "Three things" };
  return {
    "get /api/v1/broadcasts": admin,
    "post /api/v1/broadcasts": {
      ...admin,
      body: () => ({ ...texts, source_key: DESIGN, language: "fr", audience }),
    },
    "get /api/v1/broadcasts/{id}": broadcast,
    "patch /api/v1/broadcasts/{id}": { ...broadcast, body: () => ({ ...texts, audience }) },
    "delete /api/v1/broadcasts/{id}": broadcast,
    "post /api/v1/broadcasts/{id}/duplicate": broadcast,
    // sending.test.ts tests the successful requests, which depend on the token, the sender and the state.
    "post /api/v1/broadcasts/{id}/preview": { ...broadcast, body: () => ({ audience: { ...audience, user_ids: [] } }) },
    "get /api/v1/broadcasts/{id}/checks": broadcast,
    "get /api/v1/broadcasts/{id}/recipients": broadcast,
    "get /api/v1/broadcasts/{id}/recipients.csv": broadcast,
    "post /api/v1/broadcasts/{id}/send": {
      ...broadcast,
      body: () => ({ send_at: new Date(Date.now() + 3_600_000).toISOString() }),
      answers: [202, 400, 409],
    },
    "post /api/v1/broadcasts/{id}/send-test": {
      ...broadcast,
      body: () => ({ user_ids: [], emails: [] }),
      answers: [409, 502],
      isLimited: true,
    },
    "post /api/v1/broadcasts/{id}/pause": { ...broadcast, answers: [409] },
    "post /api/v1/broadcasts/{id}/resume": { ...broadcast, answers: [409] },
    "post /api/v1/broadcasts/{id}/cancel": { ...broadcast, answers: [409] },
  };
}
