import type { PresetName } from "../../../../schemas/email/content/presets";
import { date, euros, list, money, number, optional, type Preset, shopDesigns, text, url } from "./preset";

const ORDER = text("order_number", ["Order", "Commande"], "1042");
const TOTAL = money("total", ["Total", "Total"], "88.50");
const TAX = money("tax", ["Of which VAT", "Dont TVA"], "14.75");
const PAYMENT = text("payment", ["Paid with", "Paiement"], "Visa 4242");
const REFUND = money("refund", ["Refund", "Remboursement"], "36.00");
const ADDRESS = text("delivery_address", ["Delivery to", "Livraison à"], "Mina Laurent, 8 rue des Lilas, 69001 Lyon");
const EXPECTED = date("expected_on", ["Expected", "Livraison prévue"], "2026-12-03");
const ORDER_URL = url("order_url", ["View your order", "Voir la commande"], "https://shop.example.com/orders/1042");

const QUANTITY = number("quantity", ["Quantity", "Quantité"], 1);
const NAME = text("name", ["Item", "Article"], "Mug Oslo");
const VARIANT = optional(text("variant", ["Model", "Modèle"], "350 ml"));
const AMOUNT = money("amount", ["Amount", "Montant"], "48.00");
const PICTURE = optional(url("image_url", ["Picture", "Image"], "https://shop.example.com/pictures/mug.png"));
const CARAFE = {
  name: "Carafe Lumi",
  variant: "1 L",
  quantity: 1,
  amount: euros("36.00"),
  image_url: "https://shop.example.com/pictures/carafe.png",
};
const MUGS = { name: "Mug Oslo", variant: "350 ml", quantity: 4, amount: euros("48.00") };

/** The items of an order with the amount of each line. */
const LINES = list("items", ["Items", "Articles"], [NAME, VARIANT, QUANTITY, AMOUNT, PICTURE], [CARAFE, MUGS]);
const REFUNDED_LINES = optional({ ...LINES, sample: [CARAFE] });
/** The items of a parcel. */
const PARCEL = optional(
  list(
    "items",
    ["Items", "Articles"],
    [NAME, VARIANT, QUANTITY, PICTURE],
    [
      { name: CARAFE.name, variant: CARAFE.variant, quantity: 1, image_url: CARAFE.image_url },
      { name: MUGS.name, variant: MUGS.variant, quantity: 4 },
    ],
  ),
);

/** The presets for orders and carts of a shop. */
export const ORDER_PRESETS = {
  "order.placed": {
    labels: { en: "Order placed", fr: "Commande passée" },
    description: {
      en: "Confirms an order to the customer, with its items, shipping costs, tax, total and payment.",
      fr: "Confirme une commande au client, avec les articles, les frais de livraison, la TVA, le total et le paiement.",
    },
    variables: () => [
      ORDER,
      LINES,
      optional(money("shipping", ["Shipping", "Livraison"], "4.50")),
      optional(TAX),
      TOTAL,
      optional(PAYMENT),
      optional(EXPECTED),
      optional(ADDRESS),
      ORDER_URL,
    ],
    designs: shopDesigns("order-confirmation"),
    texts: {
      en: {
        subject: "Your order {{ order_number }} is confirmed",
        preheader: "Here is what you ordered, and what happens next.",
        lead: "Thank you for your order. We are packing it now and will write to you when it ships.",
        button: "View your order",
        footnote: "Is something wrong? Open your order and tell us before it ships.",
      },
      fr: {
        subject: "Votre commande {{ order_number }} est confirmée",
        preheader: "Le récapitulatif de votre commande, et la suite.",
        lead: "Merci pour votre commande. Nous la préparons et vous écrirons dès son expédition.",
        button: "Voir la commande",
        footnote: "Une erreur\u00a0? Ouvrez votre commande et signalez-la avant l’expédition.",
      },
    },
  },
  "order.shipped": {
    labels: { en: "Order shipped", fr: "Commande expédiée" },
    description: {
      en: "Tells the customer that the parcel is on its way, and where to track it.",
      fr: "Annonce au client que le colis est en route, avec son suivi.",
    },
    variables: (t) => [
      ORDER,
      PARCEL,
      optional(text("carrier", ["Carrier", "Transporteur"], t("Parcel Post", "Colis Express"))),
      optional(text("tracking_number", ["Tracking number", "Numéro de suivi"], "PP 4821 0937 55")),
      optional(EXPECTED),
      optional(ADDRESS),
      url("tracking_url", ["Track the parcel", "Suivre le colis"], "https://shop.example.com/orders/1042/parcel"),
    ],
    designs: shopDesigns("order-shipping"),
    texts: {
      en: {
        subject: "Your order {{ order_number }} is on its way",
        preheader: "Follow the parcel, and see when it should reach you.",
        lead: "Your parcel has left our warehouse. You can follow it all the way to your door.",
        button: "Track the parcel",
        footnote: "Not at home that day? The tracking page usually lets you choose another day or a pick-up point.",
      },
      fr: {
        subject: "Votre commande {{ order_number }} est en route",
        preheader: "Suivez le colis et voyez quand il devrait arriver.",
        lead: "Votre colis a quitté notre entrepôt. Vous pouvez le suivre jusqu’à votre porte.",
        button: "Suivre le colis",
        footnote:
          "Absent ce jour-là\u00a0? La page de suivi permet le plus souvent de choisir un autre jour ou un point relais.",
      },
    },
  },
  "order.delivered": {
    labels: { en: "Order delivered", fr: "Commande livrée" },
    description: {
      en: "Tells the customer that the parcel has arrived.",
      fr: "Annonce au client que le colis est arrivé.",
    },
    variables: () => [
      ORDER,
      optional(date("delivered_on", ["Delivered", "Livrée le"], "2026-12-03")),
      optional(ADDRESS),
      ORDER_URL,
    ],
    designs: shopDesigns("order-shipping"),
    texts: {
      en: {
        subject: "Your order {{ order_number }} has been delivered",
        preheader: "Your parcel has arrived. Here is what to do if something is missing.",
        lead: "Your parcel has arrived. We hope that everything is just as you expected.",
        button: "View your order",
        footnote: "Is something missing or damaged? Open your order and tell us, and we will put it right.",
      },
      fr: {
        subject: "Votre commande {{ order_number }} est livrée",
        preheader: "Votre colis est arrivé. Voici que faire s’il manque quelque chose.",
        lead: "Votre colis est arrivé. Nous espérons que tout vous plaira.",
        button: "Voir la commande",
        footnote:
          "Un article manque ou est abîmé\u00a0? Signalez-le depuis votre commande, nous trouverons une solution.",
      },
    },
  },
  "order.cancelled": {
    labels: { en: "Order cancelled", fr: "Commande annulée" },
    description: {
      en: "Confirms to the customer that an order was cancelled, and what is paid back.",
      fr: "Confirme au client l’annulation d’une commande et le montant remboursé.",
    },
    variables: () => [ORDER, REFUNDED_LINES, optional(REFUND), ORDER_URL],
    designs: shopDesigns("order-confirmation"),
    texts: {
      en: {
        subject: "Your order {{ order_number }} has been cancelled",
        preheader: "Nothing will be shipped, and what you paid is returned to you.",
        lead: "We have cancelled your order, so nothing will be shipped.\n\n{{ refund }} goes back to the payment method that you used. Your bank may need a few days to show it.",
        button: "View your order",
        footnote: "If you did not ask for this, open your order and let us know.",
      },
      fr: {
        subject: "Votre commande {{ order_number }} est annulée",
        preheader: "Rien ne sera expédié, et ce que vous avez payé vous est remboursé.",
        lead: "Nous avons annulé votre commande, rien ne sera expédié.\n\nNous vous remboursons {{ refund }} par le moyen de paiement utilisé. Votre banque peut mettre quelques jours à l’afficher.",
        button: "Voir la commande",
        footnote: "Si vous n’avez rien demandé, dites-le-nous depuis votre commande.",
      },
    },
  },
  "order.refunded": {
    labels: { en: "Order refunded", fr: "Commande remboursée" },
    description: {
      en: "Confirms a refund to the customer, for all items of an order or for some.",
      fr: "Confirme au client le remboursement de tout ou partie d’une commande.",
    },
    variables: () => [ORDER, REFUNDED_LINES, REFUND, ORDER_URL],
    designs: shopDesigns("order-confirmation"),
    texts: {
      en: {
        subject: "Your refund for order {{ order_number }}",
        preheader: "Your money is on its way back to you.",
        lead: "We have returned {{ refund }} to the payment method that you used. Your bank may need a few days to show it.",
        button: "View your order",
        footnote: "Does the amount look wrong? Open your order and tell us.",
      },
      fr: {
        subject: "Votre remboursement pour la commande {{ order_number }}",
        preheader: "Votre remboursement est en chemin.",
        lead: "Nous vous avons remboursé {{ refund }} par le moyen de paiement utilisé. Votre banque peut mettre quelques jours à l’afficher.",
        button: "Voir la commande",
        footnote: "Le montant vous semble inexact\u00a0? Dites-le-nous depuis votre commande.",
      },
    },
  },
  "cart.abandoned": {
    labels: { en: "Cart abandoned", fr: "Panier abandonné" },
    description: {
      en: "Reminds customers of what they left in the cart.",
      fr: "Rappelle au client ce qu’il a laissé dans son panier.",
    },
    variables: () => [
      LINES,
      { ...TOTAL, sample: euros("84.00") },
      optional(date("kept_until", ["Kept until", "Conservé jusqu’au"], "2026-12-11")),
      url("cart_url", ["Return to your cart", "Revenir au panier"], "https://shop.example.com/cart"),
    ],
    designs: shopDesigns("abandoned-cart"),
    texts: {
      en: {
        subject: "You left something in your cart",
        preheader: "Nothing is lost: pick up where you left off whenever you like.",
        lead: "We kept what you chose, so that you can pick up where you left off, on any device.",
        button: "Return to your cart",
        footnote: "",
      },
      fr: {
        subject: "Votre panier vous attend",
        preheader: "Rien n’est perdu\u00a0: reprenez où vous en étiez quand vous voulez.",
        lead: "Nous avons gardé vos articles, pour que vous puissiez reprendre où vous en étiez, sur tout appareil.",
        button: "Revenir au panier",
        footnote: "",
      },
    },
  },
} as const satisfies Partial<Record<PresetName, Preset>>;
