import { Component, type ErrorInfo, type ReactNode } from 'react';
import { Button, buttonClass } from '../../ui/button.tsx';
import { retryFailedLoad } from '../../ui/state/loader.ts';
import { reloadIfReachable, reloadIfReplaced } from '../../ui/state/reload.ts';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { appTexts } from '../app-texts.ts';
import { NarrowPage } from '../../ui/page/narrow-page.tsx';
import { paths } from '../../shared/routes.ts';
import { isChunkFailure } from '../chunks/chunk-failures.ts';

export interface ErrorBoundaryProps {
  /** A change of this value, such as the path, resets the boundary. */
  readonly resetKey?: string;
  /** Whether it is inside the frame of the signed-in user. Default: false. */
  readonly isPart?: boolean;
  readonly onError?: (problem: unknown, info: ErrorInfo) => void;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  /** `checking`: a chunk failed to load, and the page checks for a newer version; `missing`: no newer version exists. */
  readonly failure: 'checking' | 'missing' | 'broken' | null;
  readonly resetKey: string | undefined;
}

/** Shows an error page with ways to continue when the tree below throws. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failure: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(problem: unknown): Partial<ErrorBoundaryState> {
    return { failure: isChunkFailure(problem) ? 'checking' : 'broken' };
  }

  static getDerivedStateFromProps(props: ErrorBoundaryProps, state: ErrorBoundaryState) {
    return props.resetKey === state.resetKey ? null : { failure: null, resetKey: props.resetKey };
  }

  override componentDidCatch(problem: unknown, info: ErrorInfo): void {
    this.props.onError?.(problem, info);
    const isMissing = retryFailedLoad(problem) || isChunkFailure(problem);
    if (isMissing) void this.#reloadOrOfferRetry();
  }

  override render(): ReactNode {
    const { failure } = this.state;
    const { children, isPart } = this.props;
    if (failure === null) return children;
    if (failure === 'checking') return null;
    return <BrokenPage isPart={isPart} isMissing={failure === 'missing'} onRetry={this.#retry} />;
  }

  readonly #retry = () => void this.#reloadOrRender();

  /** Chromium up to 153 fetches no module again whose import failed: only a reload helps, and the URL has the state of the page. */
  async #reloadOrRender(): Promise<void> {
    if (!(await reloadIfReachable())) this.setState({ failure: null });
  }

  async #reloadOrOfferRetry(): Promise<void> {
    if (await reloadIfReplaced()) return;
    this.setState(({ failure }) => (failure === null ? null : { failure: 'missing' }));
  }
}

interface BrokenPageProps {
  readonly isPart: boolean | undefined;
  /** Whether its code could not be loaded. */
  readonly isMissing: boolean;
  readonly onRetry: () => void;
}

function BrokenPage({ isPart = false, isMissing, onRetry }: BrokenPageProps) {
  const texts = appTexts.use();
  return (
    <NarrowPage isPart={isPart}>
      <PageHeading>{texts.broken}</PageHeading>
      <p role="alert">{isMissing ? texts.missingText : texts.brokenText}</p>
      <Button look="primary" wide onClick={onRetry}>
        {isMissing ? texts.tryAgain : texts.reload}
      </Button>
      {/* Full page loads, which reset all state. */}
      <a className={buttonClass('secondary', true)} href={paths.home}>
        {texts.toInbox}
      </a>
      <a className={buttonClass('link', true)} href={paths.clearCookies}>
        {texts.clearCookies}
      </a>
    </NarrowPage>
  );
}
