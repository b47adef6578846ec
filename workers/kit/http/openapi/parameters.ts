import { cursorShape } from "../../../../schemas/query";
import { MAX_NUMBERED_ROW } from "../paging/page";

type Shape = Record<string, unknown>;
type Parameter = { name?: string; in?: string; schema?: Shape };

/** Query parameters that are the same in every operation (`request/company-scope.ts`, `paging/`). */
const shapes: Record<string, Shape> = {
  company_id: { type: "integer", minimum: 1, maximum: 999_999_999_999_999 },
  page: { type: "integer", minimum: 1, maximum: MAX_NUMBERED_ROW, default: 1 },
  page_size: { type: "integer", minimum: 1, maximum: 100 },
  limit: { type: "integer", minimum: 1, maximum: 200 },
  cursor: { type: "string", ...cursorShape },
};

/**
 * Returns a parameter with the type and bounds that the code enforces. Routes declare common parameters as plain text.
 * A more detailed declaration takes precedence.
 */
export function withShape<P extends object>(parameter: P): P {
  const { name, in: place, schema }: Parameter = parameter;
  const shape = place === "query" ? shapes[name ?? ""] : undefined;
  if (shape === undefined) return parameter;
  const { type: _, ...declared } = schema ?? {};
  return { ...parameter, schema: { ...shape, ...declared } };
}
