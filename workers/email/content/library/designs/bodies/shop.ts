import { type Body, type SampleProduct, SHOP, US } from "./body";

const ORDERED = `You get this email because you ordered from ${US}.`;

const NOTEBOOK: SampleProduct = { picture: "notebook", name: "Linen notebook", note: "Sand, 1 piece", price: "€18.00" };
const PENS: SampleProduct = { picture: "pen", name: "Brass pen", note: "Fine, 2 pieces", price: "€64.00" };

const withoutPrice = (product: SampleProduct): SampleProduct => ({ ...product, price: "" });

/** Designs for mail about carts and orders. */
export const SHOP_BODIES = {
  "abandoned-cart": {
    name: "Abandoned cart",
    tone: "news",
    subject: `Your cart at ${SHOP} is still here`,
    preheader: "Nothing is lost: pick up where you left off whenever you like.",
    eyebrow: "Your cart",
    title: "Still thinking it over?",
    lead: "We kept what you chose. Pick up where you left off, on any device.",
    action: "Return to your cart",
    parts: [
      "heading",
      "lead",
      { kind: "products", items: [NOTEBOOK, PENS], totals: { Total: "€82.00" }, isOrder: true },
      "action",
      {
        kind: "columns",
        items: {
          "Free returns": "Send it back within 30 days, whatever the reason.",
          "Questions?": "Reply to this email. We answer within a day.",
        },
      },
      "footnote",
    ],
    footnote: "We keep the cart for 14 days.",
    reason: `You get this email because you left something in your cart at ${SHOP}.`,
  },
  "order-confirmation": {
    name: "Order confirmation",
    tone: "receipt",
    subject: `Your order from ${US} is confirmed`,
    preheader: "Here is what you ordered, and when to expect it.",
    eyebrow: "Order 1042",
    title: "Thank you for your order",
    lead: "We have your order and are packing it. We will email you when it ships.",
    action: "View your order",
    parts: [
      "heading",
      "lead",
      "action",
      {
        kind: "products",
        items: [NOTEBOOK, PENS],
        totals: { Subtotal: "€82.00", Shipping: "€4.00", "Of which VAT 20%": "€14.33", Total: "€86.00" },
        isOrder: true,
      },
      {
        kind: "columns",
        items: {
          "Delivery to": "Mina Laurent, 8 rue des Lilas, 69001 Lyon, on Thursday, 3 December",
          "Paid with": "Visa ending in 4242, on 1 December",
        },
      },
      "footnote",
    ],
    footnote: "Is something wrong? Open your order and change it before it ships.",
    reason: ORDERED,
  },
  "order-shipping": {
    name: "Order shipping",
    tone: "receipt",
    subject: `Your order from ${US} is on its way`,
    preheader: "Track the parcel, and see when it is expected at your door.",
    eyebrow: "Order 1042",
    title: "Your order is on its way",
    lead: "It shipped this morning and should be with you on Thursday.",
    action: "Track the parcel",
    parts: [
      "heading",
      { kind: "progress", steps: ["Ordered", "Packed", "On its way", "Delivered"], done: 3 },
      "lead",
      "action",
      {
        kind: "facts",
        rows: { Carrier: "Parcel post", "Tracking number": "`PP 4821 0937 55`", Expected: "Thursday, 3 December" },
      },
      { kind: "products", items: [NOTEBOOK, PENS].map(withoutPrice), totals: {}, isOrder: false },
      "footnote",
    ],
    footnote: "Not at home? The carrier will leave it with a neighbour or at the nearest post office.",
    reason: ORDERED,
  },
} as const satisfies Record<string, Body>;
