import * as z from "zod";
import { lazySchema } from "../../../schemas/lazy-schema";
import { media } from "../http/openapi/responses";

/** Returns the response of a scrape for the OpenAPI document; `example` is in text 0.0.4. */
export function expositionResponse(example: string) {
  return {
    description: "Prometheus text 0.0.4, or OpenMetrics 1.0 where `Accept` prefers it",
    content: {
      "text/plain; version=0.0.4": media(lazySchema(() => z.string().meta({ examples: [example] }))),
      "application/openmetrics-text; version=1.0.0": media(lazySchema(() => z.string())),
    },
  };
}
