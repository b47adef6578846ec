/** The event types that a company can create with a ready-made rule and mail, by name. */
export const PRESETS = [
  "account.confirmation_requested",
  "account.created",
  "cart.abandoned",
  "feature.announced",
  "invoice.issued",
  "newsletter.confirmation_requested",
  "newsletter.published",
  "notice.published",
  "order.cancelled",
  "order.delivered",
  "order.placed",
  "order.refunded",
  "order.shipped",
  "password.reset_requested",
  "payment.failed",
  "promotion.started",
  "release.published",
  "subscription.changed",
  "trial.ending",
] as const;
export type PresetName = (typeof PRESETS)[number];

/** The first part of the event types of presets when a request names no event type. */
export const PRESET_PREFIX = "shop";
