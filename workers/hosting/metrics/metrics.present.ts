import { jobFamilies } from "../../kit/jobs/metrics.present";
import type { Family } from "../../kit/metrics/exposition";
import { webhookFamilies } from "../../kit/webhooks/metrics.present";
import { jobs } from "../jobs";
import type { CompanyFigures, GlobalFigures } from "./metrics";

/** The series of one company, each with its `company_id`. */
export function companyFamilies({ companyId, webhooks, now }: CompanyFigures): Family[] {
  return webhookFamilies("hosting", webhooks, { now, companyId });
}

/** The series over all companies, and those of the scheduled jobs. */
export function globalFamilies(figures: GlobalFigures): Family[] {
  return [
    ...jobFamilies("hosting", jobs, figures.jobs, figures),
    ...webhookFamilies("hosting", figures.webhooks, { now: figures.now }),
  ];
}
