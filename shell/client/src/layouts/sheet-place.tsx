import { Icon } from "../ui/icon.tsx";
import type { IconName } from "../ui/icon-names.ts";

/** A place of the bottom bar that opens a sheet. */
export function SheetPlace({
  icon,
  text,
  isCurrent,
  isOpen,
  onOpen,
}: {
  icon: IconName;
  text: string;
  isCurrent: boolean;
  isOpen: boolean;
  onOpen: () => void;
}) {
  return (
    <button
      type="button"
      class="nav-link"
      aria-current={isCurrent ? "true" : undefined}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      onClick={onOpen}
    >
      <Icon name={icon} size={20} />
      <span class="nav-text">{text}</span>
    </button>
  );
}
