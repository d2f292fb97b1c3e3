import { Component, Suspense, type ReactNode } from 'react';
import { toasts } from '../state/toasts.ts';
import { retryFailedLoad } from '../state/loader.ts';
import { reloadIfReachable } from '../state/reload.ts';

export interface PartBoundaryProps {
  /** Called when the part has failed, to close it: it is tried again when it is mounted the next time. */
  readonly onFail?: () => void;
  /** Whether a failure is ignored. Default: a toast offers to reload. */
  readonly isOptional?: boolean;
  readonly children: ReactNode;
}

const texts = {
  en: { failed: 'Part of the app couldn’t be loaded.', reload: 'Reload' },
  de: { failed: 'Ein Teil der App konnte nicht geladen werden.', reload: 'Neu laden' },
};

/** A part of a screen with its own code, such as a dialog: its failure leaves the rest of the screen unchanged. */
export class PartBoundary extends Component<PartBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(problem: unknown): void {
    retryFailedLoad(problem);
    // Closing the part may leave its URL.
    const { href } = location;
    const { onFail, isOptional } = this.props;
    onFail?.();
    if (isOptional) return;
    const { failed, reload } = document.documentElement.lang === 'de' ? texts.de : texts.en;
    toasts.show(failed, {
      tone: 'error',
      action: { label: reload, run: () => void reloadIfReachable(href) },
    });
  }

  override render(): ReactNode {
    return !this.state.hasFailed && <Suspense>{this.props.children}</Suspense>;
  }
}
