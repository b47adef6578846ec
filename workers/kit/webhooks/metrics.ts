import type { Bound } from "../db/statement";
import { type FigureRow, figuresOfAll, figuresOfCompany } from "./metrics.store";

export type { FigureRow } from "./metrics.store";

/** The figures of webhooks and callbacks, of a company or, for null, of all; `now` is unix ms. */
export function webhookFigures(companyId: number | null, now: number): Bound<FigureRow> {
  return companyId === null ? figuresOfAll({ now }) : figuresOfCompany({ now, company: companyId });
}

/** Until every scrape names its results. */
export function actionsFigures(_db: unknown, companyId: number | null, now: number): D1PreparedStatement {
  return webhookFigures(companyId, now) as unknown as D1PreparedStatement;
}
