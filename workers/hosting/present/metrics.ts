import { actionsFamilies } from "../../kit/actions/metrics";
import { jobFamilies } from "../../kit/jobs/metrics";
import type { Family } from "../../kit/metrics/exposition";
import { jobs } from "../jobs/jobs";
import type { CompanyFigures, GlobalFigures } from "../rules/metrics";

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
