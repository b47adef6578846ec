import type { Look } from "./draw.ts";

/** A picture of the documents: the file in docs/pictures, and the English screen that it shows. */
type DocumentPicture = Look & { file: string; group: string; name: string };

const both = (file: string, picture: Omit<DocumentPicture, "file" | "scheme">): DocumentPicture[] =>
  (["light", "dark"] as const).map((scheme) => ({ ...picture, scheme, file: `${file}-${scheme}.png` }));

const wide = { width: 1200, height: 480 };
const phone = { width: 375, height: 560 };

/** The pictures that README.md and the guides show. `npm run pictures` draws them. */
export const DOCUMENT_PICTURES: readonly DocumentPicture[] = [
  ...both("shell", { group: "shell of the examples", name: "orders", ...wide }),
  ...both("shell-home", { group: "shell of the examples", name: "home", ...wide }),
  ...both("shell-palette", { group: "shell of the examples", name: "palette", width: 1200, height: 640 }),
  ...both("sign-in", { group: "shell of the examples", name: "sign-in", width: 1200, height: 560 }),
  ...both("sign-in-code", { group: "sign-in", name: "inbox", width: 1200, height: 640 }),
  ...both("confirmation", { group: "identity pages", name: "confirmation of a link", ...phone }),
  ...both("invitation", { group: "identity pages", name: "invitation", ...phone }),
  ...both("newsletter-sign-up", { group: "email pages with branding", name: "sign-up", ...phone }),
  ...both("unsubscribe", { group: "email pages with branding", name: "unsubscribe from a newsletter", ...phone }),
  ...both("storage", { group: "settings", name: "storage", ...wide }),
];
