import { useCallback, useSyncExternalStore } from 'react';
import { Button, type ButtonProps } from '../button.tsx';
import { SlowNote } from './slow-note.tsx';

export interface SubmitButtonProps extends Omit<ButtonProps, 'type' | 'inactive'> {
  /** Inactive until then (epoch milliseconds). The seconds are shown but not announced. */
  readonly untilMs?: number | null;
}

/** The main button of a form, and a message while its request is slow. */
export function SubmitButton(props: SubmitButtonProps) {
  return (
    <>
      <CountdownButton look="primary" wide {...props} type="submit" />
      <SlowNote pending={props.pending ?? false} />
    </>
  );
}

/** A button with a countdown, such as "Send it again". */
export function CountdownButton(props: Omit<SubmitButtonProps, 'type'> & Pick<ButtonProps, 'type'>) {
  const { untilMs = null, children, ...rest } = props;
  const seconds = useCountdown(untilMs);
  return (
    <Button {...rest} inactive={seconds > 0}>
      <span>{children}</span>
      {seconds > 0 && <span aria-hidden="true">({seconds} s)</span>}
    </Button>
  );
}

/**
 * Whole seconds until `untilMs` (epoch milliseconds; `null` or past: 0). Rerenders every second; render
 * it outside of live regions, so that the seconds are not announced.
 */
function useCountdown(untilMs: number | null): number {
  const subscribe = useCallback(
    (listener: () => void) => {
      if (untilMs === null || untilMs <= Date.now()) return () => undefined;
      const timer = setInterval(listener, 1000);
      return () => clearInterval(timer);
    },
    [untilMs],
  );
  return useSyncExternalStore(subscribe, () =>
    untilMs === null ? 0 : Math.max(0, Math.ceil((untilMs - Date.now()) / 1000)),
  );
}
