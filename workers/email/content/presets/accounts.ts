import type { PresetName } from "../../../../schemas/email/content/presets";
import { allDesigns, date, optional, type Preset, serviceDesigns, text, url } from "./preset";

const VALID_UNTIL = date("expires_at", ["Valid until", "Valable jusqu’au"], "2026-12-01T18:00:00Z");

/** The presets for accounts and subscriptions to newsletters. Their links confirm something. */
export const ACCOUNT_PRESETS = {
  "account.created": {
    labels: { en: "Account created", fr: "Compte créé" },
    description: {
      en: "Welcomes a new user or customer.",
      fr: "Souhaite la bienvenue à une nouvelle personne.",
    },
    variables: () => [url("start_url", ["Get started", "Commencer"], "https://app.example.com/start")],
    designs: allDesigns("welcome"),
    texts: {
      en: {
        subject: 'Welcome to {{ company_name|default:"our place" }}',
        preheader: "Your account is ready, and one press of a button takes you there.",
        lead: "It is good to have you here. Your account is ready for your first visit.",
        button: "Get started",
        footnote: "If you did not expect this email, you can ignore it.",
      },
      fr: {
        subject: 'Bienvenue chez {{ company_name|default:"nous" }}',
        preheader: "Votre compte est prêt, un seul bouton vous y mène.",
        lead: "Nous sommes ravis de vous accueillir. Votre compte est prêt pour une première visite.",
        button: "Commencer",
        footnote: "Si vous n’attendiez pas cet e-mail, vous pouvez l’ignorer.",
      },
    },
  },
  "account.confirmation_requested": {
    labels: { en: "Address to confirm", fr: "Adresse à confirmer" },
    description: {
      en: "Asks a new user to confirm the email address.",
      fr: "Demande à une nouvelle personne de confirmer son adresse e-mail.",
    },
    variables: () => [
      url("confirm_url", ["Confirm address", "Confirmer l’adresse"], "https://app.example.com/confirm/Zx3v8QdPqk0m"),
      optional(VALID_UNTIL),
    ],
    designs: allDesigns("activation"),
    texts: {
      en: {
        subject: "Confirm your email address",
        preheader: "One step is left, and it takes a few seconds.",
        lead: "Confirm that this address is yours. Then your account is ready.",
        button: "Confirm address",
        footnote: "If you did not create an account, ignore this email. Nothing happens without you.",
      },
      fr: {
        subject: "Confirmez votre adresse e-mail",
        preheader: "Il reste une étape, et elle ne prend que quelques secondes.",
        lead: "Confirmez que cette adresse est la vôtre. Votre compte sera alors prêt.",
        button: "Confirmer l’adresse",
        footnote: "Si vous n’avez pas créé de compte, ignorez cet e-mail. Rien ne se passe sans vous.",
      },
    },
  },
  "password.reset_requested": {
    labels: { en: "New password requested", fr: "Nouveau mot de passe demandé" },
    description: {
      en: "Sends the link with which a user chooses a new password.",
      fr: "Envoie le lien qui permet de choisir un nouveau mot de passe.",
    },
    variables: () => [
      url("reset_url", ["Choose a password", "Choisir un mot de passe"], "https://app.example.com/reset/Zx3v8QdPqk0m"),
      optional(VALID_UNTIL),
    ],
    designs: allDesigns("password-reset"),
    texts: {
      en: {
        subject: "Choose a new password",
        preheader: "The link works once. Nothing changes until you have used it.",
        lead: "Someone asked for a new password for your account. If it was you, choose one now: the link works once.",
        button: "Choose a password",
        footnote: "If it was not you, ignore this email: your password stays as it is.",
      },
      fr: {
        subject: "Choisissez un nouveau mot de passe",
        preheader: "Le lien sert une seule fois. Rien ne change avant que vous l’ayez utilisé.",
        lead: "Un nouveau mot de passe a été demandé pour votre compte. Si c’était vous, choisissez-le maintenant\u00a0: le lien ne sert qu’une fois.",
        button: "Choisir un mot de passe",
        footnote: "Si ce n’était pas vous, ignorez cet e-mail\u00a0: votre mot de passe reste inchangé.",
      },
    },
  },
  "newsletter.confirmation_requested": {
    labels: { en: "Newsletter to confirm", fr: "Newsletter à confirmer" },
    description: {
      en: "Asks a reader to confirm the subscription to a newsletter.",
      fr: "Demande de confirmer l’inscription à une newsletter.",
    },
    variables: (t) => [
      optional(text("list_name", ["Newsletter", "Newsletter"], t("The Aster Letter", "La Lettre d’Aster"))),
      url(
        "confirm_url",
        ["Confirm subscription", "Confirmer l’inscription"],
        "https://app.example.com/news/Zx3v8QdPqk",
      ),
    ],
    designs: serviceDesigns("subscription-confirmation"),
    texts: {
      en: {
        subject: "Confirm your subscription",
        preheader: "You get nothing until you confirm with one press of a button.",
        lead: "You asked for our newsletter at this address. Confirm it, and the next issue is yours.",
        button: "Confirm subscription",
        footnote: "If you did not sign up, ignore this email and you will hear nothing more from us.",
      },
      fr: {
        subject: "Confirmez votre inscription",
        preheader: "Vous ne recevez rien avant d’avoir confirmé, d’un seul bouton.",
        lead: "Vous avez demandé notre newsletter à cette adresse. Confirmez-la, et le prochain numéro est pour vous.",
        button: "Confirmer l’inscription",
        footnote: "Si vous n’avez rien demandé, ignorez cet e-mail\u00a0: vous ne recevrez rien d’autre.",
      },
    },
  },
} as const satisfies Partial<Record<PresetName, Preset>>;
