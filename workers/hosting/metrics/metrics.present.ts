import { jobFamilies } from "../../kit/jobs/metrics.present";
import type { Family } from "../../kit/metrics/exposition";
import { actionsFamilies } from "../../kit/webhooks/metrics.present";
import { jobs } from "../jobs";
import type { CompanyFigures, GlobalFigures } from "./metrics";

/** The series of one company, each with its `company_id`. */
export function companyFamilies({ companyId, actions, now }: CompanyFigures): Family[] {
  return actionsFamilies("hosting", actions, { now, companyId });
}

/** The series over all companies, and those of the scheduled jobs. */
export function globalFamilies(figures: GlobalFigures): Family[] {
  return [
    ...jobFamilies("hosting", jobs, figures.jobs, figures),
    ...actionsFamilies("hosting", figures.actions, { now: figures.now }),
  ];
}
