import { type Body, SHOP, US } from "./body";

const USES = 'You get this email because you use {{ company_name|default:"our product" }}.';

/** Designs for mail to many readers. */
export const NEWS_BODIES = {
  "feature-announcement": {
    name: "Feature announcement",
    tone: "news",
    subject: `New from ${US}: drafts that write along`,
    preheader: "What it does, whom it is for and how to try it in two minutes.",
    eyebrow: "New",
    title: "Say here what people can do now",
    lead: "One or two sentences about the new thing: what was hard before, and what it takes now.",
    action: "Try it",
    parts: [
      { kind: "picture", picture: "feature", alt: "The new view in a window" },
      "heading",
      "lead",
      "action",
      {
        kind: "columns",
        items: {
          "The first thing it does": "Say it from the reader’s point of view, in one sentence.",
          "The second thing": "Keep it as short as the first, so that both are read at a glance.",
          "Who gets it": "Name the plans or the people, and from when.",
          "What stays the same": "Say what nobody has to do or to worry about.",
        },
      },
      "footnote",
    ],
    footnote: "Everyone has it from today. There is nothing to switch on.",
    reason: USES,
  },
  newsletter: {
    name: "Newsletter",
    tone: "news",
    subject: `News from ${US}`,
    preheader: "Three things worth your time, in less than three minutes.",
    eyebrow: "Issue 12",
    title: "What the season brings",
    lead: "A few sentences that open the issue: what is on your mind, and why it is worth reading on.",
    action: "Read the whole issue",
    parts: [
      { kind: "picture", picture: "season", alt: "Hills under a low sun" },
      "heading",
      "lead",
      "action",
      {
        kind: "articles",
        items: [
          {
            picture: "glass",
            alt: "A carafe and two glasses",
            title: "The first story",
            text: "Two sentences that make a reader want the rest, and nothing that gives it away.",
            link: "Read the story",
          },
          {
            picture: "arches",
            alt: "Three arches",
            title: "The second story",
            text: "Keep the stories the same length, so that none looks like the lesser one.",
            link: "Read the story",
          },
          {
            picture: "evening",
            alt: "The moon above a roof",
            title: "A date to keep",
            text: "An evening, a workshop, a thank you: what, when and where.",
            link: "Save a seat",
          },
        ],
      },
      { kind: "quote", text: "A line from a reader or from the story itself.", by: "Who said it" },
    ],
    reason: `You get this email because you subscribed to news from ${US}.`,
  },
  "product-update": {
    name: "Product update",
    tone: "news",
    subject: `What is new from ${US} this month`,
    preheader: "What is new, what got better and what was fixed.",
    eyebrow: "November",
    title: "What changed this month",
    lead: "The changes you may notice, the most useful one first.",
    action: "See all changes",
    parts: [
      "heading",
      "lead",
      {
        kind: "changes",
        items: [
          ["New", "Something that was not there before", "What people can do with it, in one sentence."],
          ["Better", "Something that takes less time", "How it was, and what it takes now."],
          ["Fixed", "Something that did not work", "What happened, and that it does not happen any more."],
        ],
      },
      "action",
    ],
    reason: USES,
  },
  promo: {
    name: "Promo",
    tone: "news",
    subject: `20% off at ${SHOP} until Sunday`,
    preheader: "One code for everything in the shop, until Sunday night.",
    eyebrow: "Until Sunday",
    title: "20% off everything",
    lead: "For people who plan ahead, and for those who do not: one code, the whole shop.",
    action: "Use the offer",
    parts: [
      { kind: "picture", picture: "offer", alt: "A vase, a lamp and a bowl on a shelf" },
      "heading",
      "lead",
      { kind: "offer", large: "20%", text: "off, with the code", code: "EARLY20" },
      "action",
      {
        kind: "grid",
        items: [
          { picture: "carafe", name: "Carafe, smoke", note: "", price: "€28.80", was: "€36.00" },
          { picture: "lamp", name: "Lamp, paper", note: "", price: "€71.20", was: "€89.00" },
        ],
      },
      "footnote",
    ],
    footnote: "Valid until Sunday, once per person. It cannot be combined with other offers.",
    reason: `You get this email because you asked for offers from ${US}.`,
  },
  "text-only": {
    name: "Text only",
    tone: "letter",
    subject: 'News from {{ company_name|default:"your team" }}',
    preheader: "A short message with everything that you need to know.",
    eyebrow: "A note",
    title: 'News from {{ company_name|default:"your team" }}',
    lead: "Write here what has happened, and what the reader can do about it.",
    parts: [
      "heading",
      "lead",
      {
        kind: "texts",
        items: [
          "Write as you would to one person: a letter without pictures and buttons is read as a letter, and answered as one.",
        ],
      },
      { kind: "link", label: "Read more" },
      { kind: "signature", name: "Your name", role: 'Your role at {{ company_name|default:"the company" }}' },
    ],
    reason: `You get this email because you have an account with ${US}.`,
  },
} as const satisfies Record<string, Body>;
