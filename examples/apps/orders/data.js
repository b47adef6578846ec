/** Sample orders, kept in memory until the page is reloaded. */
export const orders = new Map(
  [
    { id: 1042, customer: "Librairie Delacroix", date: "2026-06-18", cents: 48_250, state: "open" },
    { id: 1041, customer: "Hanson & Sons", date: "2026-06-17", cents: 129_900, state: "open" },
    { id: 1040, customer: "Mina Okafor", date: "2026-06-15", cents: 7_400, state: "sent" },
    { id: 1039, customer: "Atelier Brun", date: "2026-06-12", cents: 36_080, state: "sent" },
  ].map((order) => [order.id, order]),
);

export const countOpen = () => [...orders.values()].filter(({ state }) => state === "open").length;
