import { useEffect, useState } from 'react';
import { Button, type ButtonProps } from '../button.tsx';
import { credentialTexts } from './credential-texts.ts';
import { useCountdown } from './use-countdown.ts';

export interface SubmitButtonProps extends Omit<ButtonProps, 'type' | 'inactive'> {
  /** Inactive until then (epoch milliseconds). The seconds are shown but not announced. */
  readonly untilMs?: number | null;
}

/** After this long a pending request says that it is slow. */
const slowMs = 2_000;

function useSlow(pending: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [pending]);
  return isSlow;
}

/** The main button of a form, and a message while its request is slow. */
export function SubmitButton(props: SubmitButtonProps) {
  const texts = credentialTexts.use();
  const isSlow = useSlow(props.pending ?? false);
  return (
    <>
      <CountdownButton look="primary" wide {...props} type="submit" />
      <p role="status">{isSlow && <span>{texts.slow}</span>}</p>
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
