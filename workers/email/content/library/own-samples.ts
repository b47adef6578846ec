// Sample mails of a company's own events with lists. scripts/designs.ts and tests use this file; no Worker imports it.

import type { CatalogEvent, CatalogVariable, SampleValue } from "../../../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES } from "../../../../schemas/email/content/catalog-texts";
import { exampleVariables } from "../catalog/examples";
import { LIBRARY_DESIGNS } from "./designs/designs";
import { adaptedMail, type SampleMail } from "./samples";

type Labels = { en: string; fr: string };

const variable = (
  token: string,
  value_type: NonNullable<CatalogVariable["value_type"]>,
  labels: Labels,
  sample: SampleValue,
): CatalogVariable => ({
  token,
  type: value_type === "url" ? "url" : "string",
  value_type,
  required: false,
  example: typeof sample === "object" ? "" : String(sample),
  labels,
  sample,
});

const euros = (amount: string) => ({ amount, currency: "EUR" });

/** Returns a list of items, each with a name and a price, and with the further fields. */
function items(fields: readonly CatalogVariable[], sample: CatalogVariable["sample"]): CatalogVariable {
  const name = variable("name", "text", { en: "Item", fr: "Article" }, "Linen notebook, sand");
  const price = variable("price", "money", { en: "Price", fr: "Prix" }, euros("18.00"));
  const labels = { en: "Items", fr: "Articles" };
  const list = { token: "items", type: "string", value_type: "list", required: true, example: "", labels } as const;
  return { ...list, fields: [name, ...fields, price], ...(sample === undefined ? {} : { sample }) };
}

const TOTAL = variable("total", "money", { en: "Total", fr: "Total" }, euros("1072.50"));

function ownEvent(
  eventType: string,
  labels: Labels,
  texts: NonNullable<CatalogEvent["own"]>["texts"],
  variables: readonly CatalogVariable[],
): CatalogEvent {
  const name = {
    token: "company_name",
    type: "string",
    value_type: "text",
    required: false,
    example: "Aster Labs",
  } as const;
  return {
    event_type: eventType,
    service: "shop",
    label: labels.en,
    lane_class: "transactional",
    default_enabled: false,
    default_ttl_seconds: 0,
    variables: [name, ...variables],
    link_token: "",
    platform_sender: false,
    has_separate_limit: false,
    default_template: "barebone.text-only",
    suggested: { en: { subject: labels.en, preheader: "" }, fr: { subject: labels.fr, preheader: "" } },
    own: { labels, default_language: "en", texts },
  };
}

const ORDER = ownEvent(
  "shop.order.placed",
  { en: "Thank you for your order", fr: "Merci pour votre commande" },
  {
    en: { lead: "We have your order and are packing it.", button: "View your order" },
    fr: { lead: "Nous avons reçu votre commande et la préparons.", button: "Voir la commande" },
  },
  [
    variable("order_number", "text", { en: "Order", fr: "Commande" }, "1042"),
    variable("expected_on", "date", { en: "Expected", fr: "Livraison prévue" }, "2026-12-03"),
    variable("order_url", "url", { en: "View your order", fr: "Voir la commande" }, "https://shop.example.com/1042"),
    items(
      [
        variable("note", "text", { en: "Note", fr: "Remarque" }, "A5"),
        variable("quantity", "number", { en: "Quantity", fr: "Quantité" }, 2),
        variable("url", "url", { en: "Link", fr: "Lien" }, "https://shop.example.com/notebook"),
      ],
      [
        {
          name: "Linen notebook, sand",
          note: "A5",
          quantity: 2,
          price: euros("36.00"),
          url: "https://shop.example.com/notebook",
        },
        { name: "Brass pen, fine", quantity: 1, price: euros("1032.00") },
      ],
    ),
    variable("shipping", "money", { en: "Shipping", fr: "Livraison" }, euros("4.50")),
    TOTAL,
  ],
);

const INVOICE = ownEvent(
  "shop.invoice.issued",
  { en: "Your invoice for November", fr: "Votre facture de novembre" },
  {
    en: { lead: "Nothing is left to do: the amount has been paid.", button: "" },
    fr: { lead: "Vous n’avez rien à faire\u00a0: le montant a été réglé.", button: "" },
  },
  [
    variable("number", "text", { en: "Invoice", fr: "Facture" }, "2026-118"),
    items(
      [],
      [
        { name: "Studio, 5 seats", price: euros("1000.00") },
        { name: "Storage, 20 GB", price: euros("38.75") },
      ],
    ),
    variable("tax", "money", { en: "VAT 20%", fr: "TVA 20\u00a0%" }, euros("33.75")),
    TOTAL,
  ],
);

/** Returns an order and an invoice in each design set and language. */
export function ownMails(options: Parameters<typeof adaptedMail>[3] = {}): SampleMail[] {
  const designs = LIBRARY_DESIGNS.filter(({ key }) => /\.(order-confirmation|subscription-update)$/.test(key));
  return designs.flatMap((design) =>
    [ORDER, INVOICE].flatMap((event) =>
      EMAIL_LANGUAGES.map((language) => {
        const variables = exampleVariables(event, language, []);
        return adaptedMail(design, event, language, { ...options, variables });
      }),
    ),
  );
}
