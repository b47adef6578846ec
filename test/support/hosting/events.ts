import { eq } from "drizzle-orm";
import { event_log } from "../../../db/hosting/schema";
import { readRows } from "../webhooks/rows";

type Data = { deployment_id?: string; previous_deployment_id?: string | null; status?: string; [key: string]: unknown };

/** Returns the events of a company in the order of their times. */
export async function eventsOf(companyId: number): Promise<{ type: string; time: number; data: Data }[]> {
  const rows = await readRows(event_log, eq(event_log.company_id, companyId));
  return rows
    .map(({ event_type: type, created_at: time, data }) => ({ type, time, data: JSON.parse(data) as Data }))
    .sort((a, b) => a.time - b.time);
}
