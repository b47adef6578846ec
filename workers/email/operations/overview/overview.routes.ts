import { emailErrors } from "../../../../schemas/email/errors";
import { mountSiblingOverview } from "../../../kit/overview/overview.routes";
import type { EmailService } from "../../http";
import { jobs } from "../../jobs";
import { emailOverview } from "./overview";

/** Mounts the counts that need attention. */
export function mountEmailOverview(service: EmailService): void {
  mountSiblingOverview(service, { errors: emailErrors, source: { ...emailOverview, jobs } });
}
