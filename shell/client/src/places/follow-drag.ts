/** Movement after which a press is a drag and not a click, px. */
const THRESHOLD = 5;

/**
 * Follows a pressed pointer that drags a row among its siblings. `onMove` gets each new position of the row, and the first one
 * again after Escape. `onDrop` is called when the position has changed.
 */
export function followDrag(
  row: HTMLElement,
  { clientY: startY }: PointerEvent,
  onMove: (position: number) => void,
  onDrop: () => void,
): void {
  const root = document.documentElement;
  const rows = () => [...(row.parentElement?.children ?? [])];
  const first = rows().indexOf(row);
  let position = first;
  let isDragging = false;
  const moveTo = (next: number) => {
    if (next === position) return;
    position = next;
    onMove(next);
  };
  const onPointerMove = ({ clientY }: PointerEvent) => {
    if (!isDragging && Math.abs(clientY - startY) < THRESHOLD) return;
    isDragging = true;
    root.dataset.dragging = "row";
    row.dataset.dragged = "";
    const others = rows().filter((other) => other !== row);
    const isAbove = (other: Element) => {
      const { top, height } = other.getBoundingClientRect();
      return top + height / 2 < clientY;
    };
    moveTo(others.filter(isAbove).length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isDragging) return;
    event.preventDefault();
    event.stopPropagation();
    moveTo(first);
    end();
  };
  const cancelClick = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  const end = () => {
    removeEventListener("pointermove", onPointerMove);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    removeEventListener("keydown", onKeyDown, true);
    if (!isDragging) return;
    delete root.dataset.dragging;
    delete row.dataset.dragged;
    // The release of a dragged link is not a click on it.
    addEventListener("click", cancelClick, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", cancelClick, { capture: true }));
    if (position !== first) onDrop();
  };
  addEventListener("pointermove", onPointerMove);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
  addEventListener("keydown", onKeyDown, true);
}
