// The library's `platform` object, and helpers that the views share.
import { platform } from "platform/sdk/platform.js";
import { texts } from "./texts.js";

export { platform };

/** Returns the texts for the shell's language, English by default. */
export const currentTexts = () => texts[platform.settings?.language.code.split("-")[0]] ?? texts.en;

/** Creates an element with attributes and children; `onClick` adds a listener. */
export function make(tag, { onClick, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (onClick !== undefined) element.addEventListener("click", onClick);
  element.append(...children);
  return element;
}

const locale = () => platform.settings?.language.code ?? "en";
export const money = (cents) =>
  new Intl.NumberFormat(locale(), { style: "currency", currency: "EUR" }).format(cents / 100);
export const day = (date) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeZone: "UTC" }).format(new Date(date));
