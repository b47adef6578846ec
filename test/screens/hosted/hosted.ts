import { brandedEmailGroup, emailGroup } from "./email.ts";
import { examplesGroup } from "./examples.ts";
import { hostingGroup } from "./hosting.ts";
import { brandedIdentityGroup, identityGroup } from "./identity.ts";
import type { HostedGroup } from "./stage.ts";

/** All pages that the services render, in groups that are drawn one after another. */
export const hostedGroups: HostedGroup[] = [
  identityGroup,
  emailGroup,
  brandedEmailGroup,
  brandedIdentityGroup,
  hostingGroup,
  examplesGroup,
];
