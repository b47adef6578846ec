/** sessionStorage key of the link that a tab waits for. The value includes the email address. */
export const pendingKey = "platform:pending-link";

/** Forgets the pending link after a sign-in or sign-out. */
export function forgetPendingLink(): void {
  try {
    sessionStorage.removeItem(pendingKey);
  } catch {
    // Without storage there is no pending link.
  }
}
