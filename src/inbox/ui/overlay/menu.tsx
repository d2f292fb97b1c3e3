import { useEffect, useLayoutEffect, useRef } from 'react';
import type { FocusEvent, KeyboardEvent, ReactNode } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { useCloseOnHistoryNavigation } from './history-navigation.ts';
import { moveInMenu, type TypedLetters } from './menu-keys.ts';
import { placeAt } from './menu-place.ts';
import styles from './menu.module.css';

export interface MenuProps {
  /** The button that opened the menu; it gets the focus back when the menu closes. */
  readonly button: HTMLElement;
  /** The accessible name. */
  readonly label: string;
  /** Escape, Tab, or a click outside. */
  readonly onClose: () => void;
  /** Elements with the role `menuitem` and `tabIndex={-1}`. */
  readonly children: ReactNode;
}

/** An open menu at its button, after the menu button pattern of WAI-ARIA. */
export function Menu({ button, label, onClose, children }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const typed = useRef<TypedLetters>(null);
  useMenuPlace(menu, button);
  useCloseOnHistoryNavigation(true, onClose);
  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    element.showPopover();
    placeAt(element, button);
    button.setAttribute('aria-expanded', 'true');
    itemsOf(element)[0]?.focus({ preventScroll: true });
    return () => {
      button.removeAttribute('aria-expanded');
      // A click elsewhere has moved the focus already.
      const { activeElement } = document;
      if (element.contains(activeElement) || activeElement === document.body)
        button.focus({ preventScroll: true });
    };
  }, [button]);
  useCloseOutside(menu, button, onClose);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // The focus returns to the button, from which Tab continues.
    if (event.key === 'Tab') return flushSync(onClose);
    const items = itemsOf(event.currentTarget);
    const at = items.findIndex((item) => item === document.activeElement);
    const labels = items.map(({ textContent }) => textContent ?? '');
    const next = moveInMenu(labels, at, event.key, event.timeStamp, typed.current);
    typed.current = next.typed;
    if (next.index !== null) items[next.index]?.focus();
    else if (event.key === 'Escape') onClose();
    else if (event.key !== ' ' || next.typed === null) return;
    event.preventDefault();
  };
  const closeWithoutFocus = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (relatedTarget !== null && relatedTarget !== button && !currentTarget.contains(relatedTarget))
      onClose();
  };
  return createPortal(
    // A menu takes its keys at its items, which have the focus.
    // eslint-disable-next-line jsx-a11y/interactive-supports-focus -- its items do
    <div
      ref={menu}
      popover="manual"
      role="menu"
      aria-label={label}
      className={styles.menu}
      onKeyDown={onKeyDown}
      onBlur={closeWithoutFocus}
    >
      {children}
    </div>,
    // Elements outside of a modal dialog are inert, so its menus are rendered inside it.
    button.closest('dialog') ?? document.body,
  );
}

/** Keeps the menu at its button while the page scrolls or its rows change. */
function useMenuPlace(menu: { readonly current: HTMLElement | null }, button: HTMLElement): void {
  useLayoutEffect(() => {
    if (menu.current) placeAt(menu.current, button);
  });
  useEffect(() => {
    const follow = () => menu.current && placeAt(menu.current, button);
    addEventListener('scroll', follow, { capture: true, passive: true });
    addEventListener('resize', follow);
    return () => {
      removeEventListener('scroll', follow, { capture: true });
      removeEventListener('resize', follow);
    };
  }, [menu, button]);
}

function useCloseOutside(
  menu: { readonly current: HTMLElement | null },
  button: HTMLElement,
  onClose: () => void,
): void {
  useEffect(() => {
    const closeOutside = ({ target }: PointerEvent) => {
      // The button itself closes its menu by its click.
      const isInside = target instanceof Node && (menu.current?.contains(target) || button.contains(target));
      if (!isInside) onClose();
    };
    document.addEventListener('pointerdown', closeOutside, true);
    return () => document.removeEventListener('pointerdown', closeOutside, true);
  }, [menu, button, onClose]);
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}
