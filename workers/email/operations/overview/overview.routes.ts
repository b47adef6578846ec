import { emailErrors } from "../../../../schemas/email/errors";
import { mountSiblingOverview } from "../../../kit/overview/overview.routes";
import { fingerprintPlatform } from "../../delivery/sender/sender";
import type { EmailService } from "../../http";
import { jobs } from "../../jobs";
import { overview } from "./overview.store";

/** Mounts the counts that need attention. */
export function mountEmailOverview(service: EmailService): void {
  mountSiblingOverview(service, {
    errors: emailErrors,
    statements: overview,
    jobs,
    valuesOf: async ({ settings, keys }) => ({
      retentionDays: settings.eventRetentionDays,
      platform: await fingerprintPlatform(settings, await keys()),
    }),
  });
}
