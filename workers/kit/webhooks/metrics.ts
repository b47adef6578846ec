import type { Bound } from "../db/statement";
import { type FigureRow, figuresOfAll, figuresOfCompany } from "./metrics.store";

export type { FigureRow } from "./metrics.store";

/** Returns the statement for the webhook and callback metrics of a company, or of all for null; `now` is unix ms. */
export function webhookFigures(companyId: number | null, now: number): Bound<FigureRow> {
  return companyId === null ? figuresOfAll({ now }) : figuresOfCompany({ now, company: companyId });
}
