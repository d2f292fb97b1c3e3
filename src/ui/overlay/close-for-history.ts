import { useEffectEvent, useLayoutEffect } from 'react';

/**
 * Closes what lies above the page when Back or Forward leads to another page below it.
 *
 * @param isOpen whether there is something to close.
 */
export function useCloseForHistory(isOpen: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  // A layout effect: Back may be pressed as soon as it is visible.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const onPopState = () => close();
    addEventListener('popstate', onPopState);
    return () => removeEventListener('popstate', onPopState);
  }, [isOpen]);
}
