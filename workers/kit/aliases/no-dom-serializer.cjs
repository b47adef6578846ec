// Replaces dom-serializer in bundles: the text part of a mail never contains HTML, so nothing serializes it.
// See docs/decisions/derive-plain-text-with-html-to-text.md.
const none = () => "";
module.exports = { render: none, default: none };
