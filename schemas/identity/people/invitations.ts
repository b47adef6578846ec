import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { companyPageQuery, pageSchema } from "../../page";
import { uuidText } from "../../query";
import { addressSchema } from "../../text/address";
import { webUrlPattern } from "../../text/web-url";

/** The maximum number of invitations in a batch, and of groups in an invitation. */
export const MAX_INVITATIONS = 200;
export const MAX_INVITED_GROUPS = 20;

/** The states that lists filter by. A pending invitation becomes expired when its lifetime ends. */
export const invitationStates = ["pending", "accepted", "revoked", "expired"] as const;

/** The states of the mail that lists filter by. */
export const mailStates = ["queued", "sent", "failed"] as const;

const example = {
  id: "5b0f4a4e-7c1d-4f0b-9a51-0d7f6a1f3c21",
  email: "noor@aster.example",
  language: "en",
  status: "pending",
  app_url: "https://app.aster.example/login",
  group_ids: ["2f9d0e0c-6a35-4d0f-8a55-0f3f6b0a7c11"],
  invited_by: { id: 42, email: "mina@aster.example", name: "Mina Laurent" },
  mail_state: "queued",
  created_at: "2026-01-12T08:00:00.000Z",
  expires_at: "2026-01-26T08:00:00.000Z",
  accepted_at: null,
  revoked_at: null,
} as const;

const invitationFields = () => ({
  id: z.uuid(),
  email: z.string(),
  language: z.enum(["en", "fr"]),
  status: z.enum(invitationStates),
  app_url: z.string().describe("the page of the application that the invitation leads to"),
  group_ids: z.array(z.uuid()).describe("groups that the user joins on acceptance"),
  invited_by: z
    .object({ id: z.int(), email: z.string(), name: z.string() })
    .nullable()
    .describe("the inviting user; null when the account was deleted"),
  mail_state: z
    .enum(mailStates)
    .nullable()
    .describe(
      "`sent` when the email service accepted the mail, `failed` when it rejected the mail or did not accept it in time; null when no mail is sent",
    ),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  accepted_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
});
const invitation_url = () => z.string().optional().describe("only with `send_mail: false`, and only in this response");
const withUrl = {
  ...example,
  mail_state: null,
  invitation_url: "https://id.aster.example/api/v1/invitations/open?token=…",
};

/** An invitation. */
export const invitationSchema = lazySchema(() =>
  z.object(invitationFields()).meta({ id: "Invitation", examples: [example] }),
);

/** A new invitation, or one that was sent again. */
export const sentInvitationSchema = lazySchema(() =>
  z
    .object({ ...invitationFields(), invitation_url: invitation_url() })
    .meta({ id: "SentInvitation", examples: [withUrl] }),
);

/** Query of `GET /api/v1/invitations`. */
export const invitationQuery = lazySchema(() =>
  z.object({
    ...companyPageQuery(),
    status: z.enum(invitationStates).optional(),
    mail_state: z.enum(mailStates).optional(),
  }),
);

/** The filters of `GET /api/v1/invitations`. */
export const invitationFilter = lazySchema(() =>
  z.object({
    status: z.enum(invitationStates, "invalid").optional(),
    mail_state: z.enum(mailStates, "invalid").optional(),
  }),
);

/** Response of `GET /api/v1/invitations`. */
export const invitationPageSchema = pageSchema(invitationSchema);

const company_id = () => z.int("invalid").min(1, "invalid").optional();
const app_url = () => z.string("invalid").trim().min(1, "blank").max(2048, "too_long").meta({ pattern: webUrlPattern });
const send_mail = () => z.boolean("invalid").default(true);
const invitee = () => ({
  email: addressSchema(),
  language: z.enum(["en", "fr"], "invalid").default("en"),
  group_ids: z.array(uuidText(), "invalid").max(MAX_INVITED_GROUPS, "too_many").default([]),
});

/** Body of `POST /api/v1/invitations`. */
export const invitationBody = lazySchema(() =>
  z
    .object({ company_id: company_id(), ...invitee(), app_url: app_url().optional(), send_mail: send_mail() })
    .meta({ examples: [{ email: "noor@aster.example", language: "en", group_ids: example.group_ids }] }),
);

/** Body of `POST /api/v1/invitations/batch`. Each item is validated by invitationItem. */
export const invitationBatchBody = lazySchema(() =>
  z
    .object({
      company_id: company_id(),
      invitations: z.array(z.unknown(), "invalid").min(1, "required").max(MAX_INVITATIONS, "too_many"),
      app_url: app_url().optional(),
      send_mail: send_mail(),
    })
    .meta({ examples: [{ invitations: [{ email: "noor@aster.example" }, { email: "leo@aster.example" }] }] }),
);

/** An item of a batch. */
export const invitationItem = lazySchema(() => z.object(invitee()));

/** Body of `POST /api/v1/invitations/{id}/resend`. */
export const resendBody = lazySchema(() =>
  z.object({ company_id: company_id(), send_mail: send_mail() }).meta({ examples: [{ send_mail: true }] }),
);

/** Response of `POST /api/v1/invitations/batch`: one result per item, in the order of the items. */
export const invitationBatchResult = lazySchema(() =>
  z
    .object({
      results: z.array(
        z.object({
          status: z.int().describe("the status that a request with only this item would return: 201, 400 or 409"),
          invitation: sentInvitationSchema.unwrap().optional(),
          error_code: z.string().optional(),
          field_errors: z.record(z.string(), z.array(z.string())).optional(),
        }),
      ),
    })
    .meta({
      id: "InvitationBatch",
      examples: [
        {
          results: [
            { status: 201, invitation: example },
            { status: 409, error_code: "already_member" },
          ],
        },
      ],
    }),
);

export type Invitee = z.output<typeof invitationItem>;
