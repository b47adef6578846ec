/** A sample section of a design. It shows authors what a mail could contain. */
export type Section =
  | { kind: "facts"; rows: Readonly<Record<string, string>> }
  | { kind: "features"; items: Readonly<Record<string, string>> }
  | { kind: "steps"; items: readonly string[] }
  | { kind: "order"; lines: Readonly<Record<string, string>>; total: readonly [string, string] }
  | { kind: "offer"; large: string; text: string; code: string }
  | { kind: "quote"; text: string; by: string };

/** The texts of a design, which are the same in every design set. Authors replace them. */
export interface Body {
  name: string;
  subject: string;
  preheader: string;
  /** A short line above the heading. Only some design sets show it. */
  eyebrow: string;
  title: string;
  lead: string;
  /** The label of the button. */
  action?: string;
  sections?: readonly Section[];
  footnote?: string;
  /** The reason why the recipient got the mail, for the footer. */
  reason: string;
  /** Whether the mail ends with the link of the button as plain text. */
  hasAddress?: true;
}

const TEAM = '{{ company_name|default:"the team" }}';
const US = '{{ company_name|default:"us" }}';
const SHOP = '{{ company_name|default:"our shop" }}';
const ORDERED = `You get this email because you ordered from ${US}.`;
const USES = 'You get this email because you use {{ company_name|default:"our product" }}.';

/** The texts of each design, by its key. */
export const BODIES = {
  "abandoned-cart": {
    name: "Abandoned cart",
    subject: `Your cart at ${SHOP} is still here`,
    preheader: "Nothing is lost: pick up where you left off whenever you like.",
    eyebrow: "Your cart",
    title: "Still thinking it over?",
    lead: "We kept what you chose. Pick up where you left off, on any device.",
    action: "Return to your cart",
    sections: [
      {
        kind: "order",
        lines: { "Linen notebook, sand": "€18.00", "Brass pen, fine": "€32.00" },
        total: ["Total", "€50.00"],
      },
    ],
    footnote: "We keep the cart for 14 days.",
    reason: `You get this email because you left something in your cart at ${SHOP}.`,
  },
  activation: {
    name: "Activation",
    subject: 'Confirm your address for {{ company_name|default:"your account" }}',
    preheader: "One step is left, and it takes a single press of a button.",
    eyebrow: "One step left",
    title: "Confirm your address",
    lead: "Press the button to confirm that this address is yours. Then everything is ready for you.",
    action: "Confirm address",
    footnote: "If you did not ask for this email, ignore it. Nothing happens without you.",
    reason: `You get this email because this address was given to ${US}.`,
    hasAddress: true,
  },
  "feature-announcement": {
    name: "Feature announcement",
    subject: `New from ${US}: drafts that write along`,
    preheader: "What it does, whom it is for and how to try it in two minutes.",
    eyebrow: "New",
    title: "Say here what people can do now",
    lead: "One or two sentences about the new thing: what was hard before, and what it takes now.",
    action: "Try it",
    sections: [
      {
        kind: "features",
        items: {
          "The first thing it does": "Say it from the reader’s point of view, in one sentence.",
          "The second thing": "Keep it as short as the first, so that both can be read at a glance.",
          "And the third": "Three are enough for one email; the rest can go on a page.",
        },
      },
    ],
    footnote: "Everyone has it from today. There is nothing to switch on.",
    reason: USES,
  },
  newsletter: {
    name: "Newsletter",
    subject: `News from ${US}`,
    preheader: "Three things worth your time, in less than three minutes.",
    eyebrow: "Issue 12",
    title: "What the season brings",
    lead: "A few sentences that open the issue: what is on your mind, and why it is worth reading on.",
    sections: [
      {
        kind: "features",
        items: {
          "The first story": "Two or three sentences that make a reader want the rest, and nothing that gives it away.",
          "The second story": "Keep the stories the same length, so that none looks like the lesser one.",
          "A small note": "An event, a date, a thank you. Short notes are what people remember.",
        },
      },
      { kind: "quote", text: "A line from a reader or from the story itself.", by: "Who said it" },
    ],
    action: "Read the whole issue",
    reason: `You get this email because you subscribed to news from ${US}.`,
  },
  "order-confirmation": {
    name: "Order confirmation",
    subject: `Your order from ${US} is confirmed`,
    preheader: "Here is what you ordered, and when to expect it.",
    eyebrow: "Order 1042",
    title: "Thank you for your order",
    lead: "We have your order and are packing it. We will email you when it ships.",
    action: "View your order",
    sections: [
      {
        kind: "order",
        lines: { "Linen notebook, sand": "€18.00", "Brass pen, fine": "€32.00", Shipping: "€4.00" },
        total: ["Total", "€54.00"],
      },
      {
        kind: "facts",
        rows: { "Delivery to": "Mina Laurent, 8 rue des Lilas, Lyon", Expected: "Thursday, 3 December" },
      },
    ],
    footnote: "Is something wrong? Open your order and change it before it ships.",
    reason: ORDERED,
  },
  "order-shipping": {
    name: "Order shipping",
    subject: `Your order from ${US} is on its way`,
    preheader: "Track the parcel, and see when it is expected at your door.",
    eyebrow: "Order 1042",
    title: "Your order is on its way",
    lead: "It shipped this morning and should be with you on Thursday.",
    action: "Track the parcel",
    sections: [
      {
        kind: "facts",
        rows: { Carrier: "Parcel post", "Tracking number": "`PP 4821 0937 55`", Expected: "Thursday, 3 December" },
      },
    ],
    footnote: "Not at home? The carrier will leave it with a neighbour or at the nearest post office.",
    reason: ORDERED,
  },
  "password-reset": {
    name: "Password reset",
    subject: 'Choose a new password for {{ company_name|default:"your account" }}',
    preheader: "The link works once. Nothing changes until you have used it.",
    eyebrow: "Your account",
    title: "Choose a new password",
    lead: "Someone asked for a new password for your account. If it was you, choose one now: the link works once.",
    action: "Choose a password",
    footnote: "If it was not you, ignore this email: your password stays as it is.",
    reason: `You get this email because someone asked for a new password at ${US}.`,
    hasAddress: true,
  },
  "product-update": {
    name: "Product update",
    subject: `What is new from ${US} this month`,
    preheader: "What is new, what got better and what was fixed.",
    eyebrow: "November",
    title: "What changed this month",
    lead: "The changes you may notice, the most useful one first.",
    action: "See all changes",
    sections: [
      {
        kind: "facts",
        rows: {
          New: "Something that was not there before, in one sentence.",
          Better: "Something that takes less time or fewer steps now.",
          Fixed: "Something that did not work as it should, and does now.",
        },
      },
    ],
    reason: USES,
  },
  promo: {
    name: "Promo",
    subject: `20% off at ${SHOP} until Sunday`,
    preheader: "One code for everything in the shop, until Sunday night.",
    eyebrow: "Until Sunday",
    title: "20% off everything",
    lead: "For people who plan ahead, and for those who do not: one code, the whole shop.",
    action: "Use the offer",
    sections: [{ kind: "offer", large: "20%", text: "off, with the code", code: "EARLY20" }],
    footnote: "Valid until Sunday, once per person. It cannot be combined with other offers.",
    reason: `You get this email because you asked for offers from ${US}.`,
  },
  "subscription-confirmation": {
    name: "Subscription confirmation",
    subject: `Confirm that you want to hear from ${US}`,
    preheader: "You get nothing until you confirm with one press of a button.",
    eyebrow: "Newsletter",
    title: "Confirm your subscription",
    lead: "You asked for our newsletter at this address. Confirm it and you will get the next issue.",
    action: "Confirm subscription",
    footnote: "If you did not sign up, ignore this email and you will hear nothing more.",
    reason: `You get this email because this address was entered for news from ${US}.`,
    hasAddress: true,
  },
  "subscription-update": {
    name: "Subscription update",
    subject: `Your plan with ${US} has changed`,
    preheader: "What you have now, what it costs and when it renews.",
    eyebrow: "Billing",
    title: "Your plan has changed",
    lead: "The change takes effect today. Here is what you have now.",
    action: "View your plan",
    sections: [
      { kind: "facts", rows: { Plan: "Studio, 5 seats", Price: "€40.00 a month", "Renews on": "1 December" } },
    ],
    footnote: "You can change or end it at any time.",
    reason: `You get this email because you have a plan with ${US}.`,
  },
  "text-only": {
    name: "Text only",
    subject: 'News from {{ company_name|default:"your team" }}',
    preheader: "A short message with everything that you need to know.",
    eyebrow: "A note",
    title: 'News from {{ company_name|default:"your team" }}',
    lead: "Write here what has happened, and what the reader can do about it.",
    reason: `You get this email because you have an account with ${US}.`,
  },
  welcome: {
    name: "Welcome",
    subject: `Welcome to ${TEAM}`,
    preheader: "Your place is ready, and one press of a button takes you there.",
    eyebrow: "New here",
    title: `Welcome to ${TEAM}`,
    lead: "It is good to have you here. Everything is ready for your first visit.",
    action: "Get started",
    sections: [
      {
        kind: "steps",
        items: [
          "Sign in and look around for a minute.",
          "Tell us what you want to be called.",
          "Ask the first question that comes to you.",
        ],
      },
    ],
    footnote: "If you did not expect this email, you can ignore it.",
    reason: `You get this email because you joined ${TEAM}.`,
    hasAddress: true,
  },
} as const satisfies Record<string, Body>;

/** The key of a design within its design set. */
export type DesignKey = keyof typeof BODIES;
