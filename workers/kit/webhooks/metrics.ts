import type { Bound } from "../db/statement";
import { type FigureRow, figuresOfAll, figuresOfCompany } from "./metrics.store";

export type { FigureRow } from "./metrics.store";

/** The figures of webhooks and callbacks, of a company or, for null, of all; `now` is unix ms. */
export function webhookFigures(companyId: number | null, now: number): Bound<FigureRow> {
  return companyId === null ? figuresOfAll({ now }) : figuresOfCompany({ now, company: companyId });
}
