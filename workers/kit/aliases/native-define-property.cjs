// Replaces the helper of @babel/runtime-corejs3 in bundles. Every supported runtime has class fields.
// See docs/decisions/compose-mail-with-mimetext.md.
module.exports = (object, key, value) => {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
};
