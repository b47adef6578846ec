import type { EmailDocument } from "../../format/document";
import { BODIES, type DesignKey } from "./bodies/bodies";
import type { Body } from "./bodies/body";
import { FRAMES } from "./frames";

/** A built-in design in English, before it is adapted to an event. */
export interface LibraryDesign {
  key: string;
  set: string;
  name: string;
  subject: string;
  preheader: string;
  document: EmailDocument;
}

const SERVICE: readonly DesignKey[] = [
  "activation",
  "feature-announcement",
  "password-reset",
  "product-update",
  "subscription-confirmation",
  "subscription-update",
  "text-only",
  "welcome",
];

const SHOP: readonly DesignKey[] = [
  "abandoned-cart",
  "activation",
  "newsletter",
  "order-confirmation",
  "order-shipping",
  "password-reset",
  "promo",
  "welcome",
];

const DESIGNS_OF_SET: Readonly<Record<string, readonly DesignKey[]>> = {
  barebone: SERVICE,
  matte: SERVICE,
  protocol: SERVICE,
  arcane: SHOP,
  studio: SHOP,
};

/** All built-in designs, grouped by design set. */
export const LIBRARY_DESIGNS: readonly LibraryDesign[] = Object.entries(DESIGNS_OF_SET).flatMap(([set, designs]) =>
  designs.map((design) => {
    const body: Body = BODIES[design];
    const frame = FRAMES[set];
    if (frame === undefined) throw new Error(`${set}: no frame`);
    const { name, subject, preheader } = body;
    return { key: `${set}.${design}`, set, name, subject, preheader, document: frame(body) };
  }),
);
