/** Where a tab keeps the link it waits for, with the person's address. */
export const pendingKey = "platform:pending-link";

/** The link is waited for no more: somebody is signed in, or out. */
export function forgetPendingLink(): void {
  try {
    sessionStorage.removeItem(pendingKey);
  } catch {
    // Without storage nothing was kept.
  }
}
