// Replaces `instance/trim` of core-js in bundles: returns the method of a string.
// See docs/decisions/compose-mail-with-mimetext.md.
module.exports = (text) => text.trim;
