import type { PresetName } from "../../../../schemas/email/content/presets";
import {
  date,
  euros,
  list,
  money,
  number,
  optional,
  type Preset,
  serviceDesigns,
  shopDesigns,
  text,
  url,
} from "./preset";

const PLAN = text("plan", ["Plan", "Formule"], "Studio");
const PLAN_URL = url("plan_url", ["View your plan", "Voir votre formule"], "https://app.example.com/plan");

/** The presets for invoices, payments and subscriptions. */
export const BILLING_PRESETS = {
  "invoice.issued": {
    labels: { en: "Invoice issued", fr: "Facture émise" },
    description: {
      en: "Sends an invoice with its lines, tax and total. The file can be attached, or linked with `invoice_url`.",
      fr: "Envoie une facture avec ses lignes, la taxe et le total. Le fichier peut être joint, ou accessible par `invoice_url`.",
    },
    variables: (t) => [
      text("invoice_number", ["Invoice", "Facture"], "2026-118"),
      list(
        "items",
        ["Items", "Articles"],
        [
          text("name", ["Item", "Article"], t("Studio plan, November", "Formule Studio, novembre")),
          optional(number("quantity", ["Quantity", "Quantité"], 5)),
          money("amount", ["Amount", "Montant"], "200.00"),
        ],
        [
          { name: t("Studio plan, November", "Formule Studio, novembre"), quantity: 5, amount: euros("200.00") },
          { name: t("Storage, 100 GB", "Stockage, 100 Go"), quantity: 1, amount: euros("12.00") },
        ],
      ),
      optional(money("tax", ["VAT", "TVA"], "42.40")),
      money("total", ["Total", "Total"], "254.40"),
      optional(date("issued_on", ["Date of issue", "Date d’émission"], "2026-11-30")),
      optional(date("due_on", ["Payable by", "À régler avant le"], "2026-12-30")),
      optional(
        url("invoice_url", ["View the invoice", "Voir la facture"], "https://app.example.com/invoices/2026-118"),
      ),
    ],
    designs: [...shopDesigns("order-confirmation"), ...serviceDesigns("subscription-update")],
    texts: {
      en: {
        subject: "Your invoice {{ invoice_number }}",
        preheader: "Its lines, the tax and the total at a glance.",
        lead: "Thank you for your business. Here is your invoice, line by line.",
        button: "View the invoice",
        footnote: "Keep this email for your records.",
      },
      fr: {
        subject: "Votre facture {{ invoice_number }}",
        preheader: "Ses lignes, la taxe et le total en un coup d’œil.",
        lead: "Merci de votre confiance. Voici votre facture, ligne par ligne.",
        button: "Voir la facture",
        footnote: "Conservez cet e-mail pour votre comptabilité.",
      },
    },
  },
  "payment.failed": {
    labels: { en: "Payment failed", fr: "Paiement refusé" },
    description: {
      en: "Asks the customer to check the payment details after a payment was declined.",
      fr: "Demande au client de vérifier ses coordonnées de paiement après un refus.",
    },
    variables: () => [
      money("amount", ["Amount", "Montant"], "40.00"),
      optional(PLAN),
      optional(text("payment_method", ["Paid with", "Moyen de paiement"], "Visa •••• 4242")),
      optional(date("retry_on", ["Next attempt", "Prochaine tentative"], "2026-12-05")),
      url("payment_url", ["Update payment", "Mettre à jour le paiement"], "https://app.example.com/payment"),
    ],
    designs: serviceDesigns("subscription-update"),
    texts: {
      en: {
        subject: "Your payment of {{ amount }} did not go through",
        preheader: "Check your payment details, and everything continues as before.",
        lead: "We could not collect {{ amount }}. Please check your payment details or choose another way to pay, so that nothing is interrupted.",
        button: "Update payment",
        footnote: "If you have paid in the meantime, you can ignore this email.",
      },
      fr: {
        subject: "Votre paiement de {{ amount }} n’a pas abouti",
        preheader: "Vérifiez vos coordonnées de paiement, et tout continue comme avant.",
        lead: "Nous n’avons pas pu encaisser {{ amount }}. Vérifiez vos coordonnées de paiement ou choisissez un autre moyen, pour éviter toute interruption.",
        button: "Mettre à jour le paiement",
        footnote: "Si vous avez réglé entre-temps, ne tenez pas compte de cet e-mail.",
      },
    },
  },
  "subscription.changed": {
    labels: { en: "Subscription changed", fr: "Abonnement modifié" },
    description: {
      en: "Confirms a new plan, its price and its next renewal.",
      fr: "Confirme une nouvelle formule, son prix et sa prochaine échéance.",
    },
    variables: () => [
      PLAN,
      optional(number("seats", ["Seats", "Places"], 5)),
      optional(money("price", ["Price", "Prix"], "40.00")),
      optional(date("renews_on", ["Renews on", "Renouvellement le"], "2026-12-27")),
      PLAN_URL,
    ],
    designs: serviceDesigns("subscription-update"),
    texts: {
      en: {
        subject: "Your plan is now {{ plan }}",
        preheader: "What you have now, what it costs and when it renews.",
        lead: "The change takes effect today. Here is what you have now.",
        button: "View your plan",
        footnote: "You can change or end your plan at any time.",
      },
      fr: {
        subject: "Vous avez désormais la formule {{ plan }}",
        preheader: "Votre formule, son prix et sa prochaine échéance.",
        lead: "Le changement prend effet aujourd’hui. Voici votre nouvelle formule.",
        button: "Voir votre formule",
        footnote: "Vous pouvez la modifier ou y mettre fin à tout moment.",
      },
    },
  },
  "trial.ending": {
    labels: { en: "Trial ending", fr: "Fin de l’essai" },
    description: {
      en: "Reminds a user that the trial ends soon, and how to keep going.",
      fr: "Rappelle la fin prochaine de l’essai et comment continuer.",
    },
    variables: () => [
      date("ends_on", ["Trial ends", "Fin de l’essai"], "2026-12-11"),
      optional(PLAN),
      optional(money("price", ["Price", "Prix"], "40.00")),
      url("plan_url", ["Choose a plan", "Choisir une formule"], "https://app.example.com/plans"),
    ],
    designs: serviceDesigns("subscription-update"),
    texts: {
      en: {
        subject: "Your trial ends on {{ ends_on }}",
        preheader: "Choose a plan before then to keep everything as it is.",
        lead: "Choose a plan before then, and everything you have set up stays as it is.",
        button: "Choose a plan",
        footnote: "If you do nothing, the trial ends by itself and you pay nothing.",
      },
      fr: {
        subject: "Votre essai se termine le {{ ends_on }}",
        preheader: "Choisissez une formule d’ici là pour tout conserver.",
        lead: "Choisissez une formule d’ici là, et tout ce que vous avez mis en place reste tel quel.",
        button: "Choisir une formule",
        footnote: "Sans action de votre part, l’essai s’arrête de lui-même et vous ne payez rien.",
      },
    },
  },
} as const satisfies Partial<Record<PresetName, Preset>>;
