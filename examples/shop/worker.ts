// A Worker of a shop that sends its own mail with its own API key: an order confirmation, an invoice with an attachment, and a
// shipping notice. ../README.md describes how to create the event types and the key.

type Env = {
  /** base URL of the email service, such as https://email.example.com */
  EMAIL_URL: string;
  /** API key of the shop (`esk_…`), a secret */
  EMAIL_KEY: string;
  /** sender of the mails: `from_email` of the company's provider */
  EMAIL_FROM: string;
  /** base URL of the shop's own pages */
  SHOP_URL: string;
};

type Line = { name: string; quantity: number; amount: string };
type Order = { number: string; email: string; language: "en" | "fr"; currency: string; total: string; lines: Line[] };
type Attachment = { filename: string; content: string };
type OrderMail = { template: string; variables: Record<string, unknown>; attachments?: Attachment[] };

/** The mail of each step of an order. The company decides what the mails look like. `lumi` is the name of the shop. */
const mails: Record<string, (order: Order, env: Env) => OrderMail> = {
  confirmation: (order, env) => ({
    template: "lumi.order.placed",
    variables: {
      order_number: order.number,
      items: itemsOf(order),
      total: money(order, order.total),
      order_url: `${env.SHOP_URL}/orders/${order.number}`,
    },
  }),
  invoice: (order) => ({
    template: "lumi.invoice.issued",
    variables: { invoice_number: order.number, items: itemsOf(order), total: money(order, order.total) },
    attachments: [{ filename: `invoice-${order.number}.csv`, content: toBase64(invoiceOf(order)) }],
  }),
  shipment: (order, env) => ({
    template: "lumi.order.shipped",
    variables: {
      order_number: order.number,
      items: order.lines.map(({ name, quantity }) => ({ name, quantity })),
      tracking_url: `${env.SHOP_URL}/orders/${order.number}/parcel`,
    },
  }),
};

export default {
  /** `POST /confirmation`, `/invoice` and `/shipment`, each with the order as JSON, send the mail of this step. */
  async fetch(request: Request, env: Env): Promise<Response> {
    const step = new URL(request.url).pathname.slice(1);
    const mailOf = Object.hasOwn(mails, step) ? mails[step] : undefined;
    if (request.method !== "POST" || mailOf === undefined) return new Response("Not found", { status: 404 });
    const order = (await request.json()) as Order;
    const response = await send(env, order, mailOf(order, env), `${step}-${order.number}`);
    // The response has the id of the email, or an error code such as `validation_failed` with `field_errors`.
    return new Response(response.body, { status: response.status, headers: { "content-type": "application/json" } });
  },
};

/** Sends a mail to the customer. The email service sends a repeated request with the same key only once. */
function send(env: Env, order: Order, mail: OrderMail, idempotencyKey: string): Promise<Response> {
  const { template, variables, attachments = [] } = mail;
  return fetch(`${env.EMAIL_URL}/api/v1/emails`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${env.EMAIL_KEY}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify({
      from: env.EMAIL_FROM,
      to: order.email,
      template_key: template,
      variables,
      language: order.language,
      attachments,
    }),
  });
}

const money = ({ currency }: Order, amount: string) => ({ amount, currency });

const itemsOf = (order: Order) => order.lines.map((line) => ({ ...line, amount: money(order, line.amount) }));

/** Returns the lines and the total of an order as CSV. */
function invoiceOf({ lines, total, currency }: Order): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = lines.map(({ name, quantity, amount }) => [quoted(name), quantity, amount, currency].join(","));
  return ["item,quantity,amount,currency", ...rows, `total,,${total},${currency}`, ""].join("\r\n");
}

const toBase64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
