import { Component, type ErrorInfo, type ReactNode } from 'react';
import { Button, buttonClass } from '../ui/button.tsx';
import { PageHeading } from '../ui/page-heading.tsx';
import { appTexts } from './app-texts.ts';
import { NarrowPage } from '../ui/narrow-page.tsx';
import { paths } from './routes.ts';

export interface ErrorBoundaryProps {
  /** The problem is over when this changes, such as by going to another page. */
  readonly resetKey?: string;
  readonly onError?: (problem: unknown, info: ErrorInfo) => void;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly failed: boolean;
  readonly resetKey: string | undefined;
}

/** Shows a way on where the tree below it has failed. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failed: false, resetKey: this.props.resetKey };

  static getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { failed: true };
  }

  static getDerivedStateFromProps(props: ErrorBoundaryProps, state: ErrorBoundaryState) {
    return props.resetKey === state.resetKey ? null : { failed: false, resetKey: props.resetKey };
  }

  override componentDidCatch(problem: unknown, info: ErrorInfo): void {
    this.props.onError?.(problem, info);
  }

  override render(): ReactNode {
    return this.state.failed ? <BrokenPage /> : this.props.children;
  }
}

function BrokenPage() {
  const texts = appTexts.use();
  return (
    <NarrowPage>
      <PageHeading>{texts.broken}</PageHeading>
      <p role="alert">{texts.brokenText}</p>
      <Button look="primary" wide onClick={() => location.reload()}>
        {texts.reload}
      </Button>
      {/* Whole page loads: whatever broke is left behind. */}
      <a className={buttonClass('secondary', true)} href={paths.home}>
        {texts.toInbox}
      </a>
      <a className={buttonClass('quiet', true)} href={paths.clearCookies}>
        {texts.clearCookies}
      </a>
    </NarrowPage>
  );
}
