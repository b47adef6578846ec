/** Texts of the page in the frames, in the language of the browser */
const TEXTS = {
  en: {
    title: "Orders",
    add: "New order",
    heads: ["Order", "Customer", "State", "Amount"],
    states: ["Open", "Sent"],
    form: "Edit order 1042",
    note: "Note",
    save: "Save note",
  },
  fr: {
    title: "Commandes",
    add: "Nouvelle commande",
    heads: ["Commande", "Client", "État", "Montant"],
    states: ["En cours", "Expédiée"],
    form: "Modifier la commande 1042",
    note: "Remarque",
    save: "Enregistrer la remarque",
  },
};

const STYLE = `:root{color-scheme:light dark}body{margin:0;padding:24px;font:14px/1.5 system-ui,sans-serif;background:light-dark(#fff,#14171f);color:light-dark(#14171f,#e8eaf0)}
header{display:flex;justify-content:space-between;align-items:center;margin-bottom:16px}h1{font-size:20px;margin:0}
button{font:inherit;padding:6px 12px;border:0;border-radius:6px;background:light-dark(#2b5cbc,#6ea3f5);color:light-dark(#fff,#0b1220)}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:8px;text-align:start;border-bottom:1px solid light-dark(#e3e5ea,#2a2f3a)}
th{font-weight:500;color:light-dark(#5b6270,#9aa2b1)}td:last-child,th:last-child{text-align:end}
label{display:block;margin-bottom:4px}textarea{box-sizing:border-box;width:100%;font:inherit;padding:8px;border:1px solid light-dark(#7b8290,#7b8290);border-radius:6px;background:transparent;color:inherit}
@media(max-width:480px){body{padding:24px 16px}th,td{padding:8px 4px}}`;

const ORDERS: [string, string, 0 | 1, number][] = [
  ["1042", "Librairie Delacroix", 0, 482.5],
  ["1041", "Hanson & Sons", 0, 1299],
  ["1040", "Mina Okafor", 1, 74],
  ["1039", "Atelier Brun", 1, 360.8],
];

/** Returns the page of an application as it looks in a product: a list of orders, or at `/more` a form. */
export function applicationPage(path: string, acceptLanguage = ""): string {
  const language = acceptLanguage.startsWith("fr") ? "fr" : "en";
  const texts = TEXTS[language];
  const amount = new Intl.NumberFormat(language, { style: "currency", currency: "EUR" });
  const row = ([id, customer, state, total]: (typeof ORDERS)[number]) =>
    `<tr><td>${id}<td>${customer.replace("&", "&amp;")}<td>${texts.states[state]}<td>${amount.format(total)}`;
  const list = `<header><h1>${texts.title}</h1><button>${texts.add}</button></header>
<table><tr>${texts.heads.map((head) => `<th>${head}`).join("")}${ORDERS.map(row).join("")}</table>`;
  const form = `<header><h1>${texts.form}</h1></header><label for="note">${texts.note}</label><textarea id="note" rows="4"></textarea><p><button>${texts.save}</button>`;
  return `<html lang="${language}"><meta name="viewport" content="width=device-width"><style>${STYLE}</style>${path.startsWith("/more") ? form : list}`;
}
