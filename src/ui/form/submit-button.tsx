import { Button, type ButtonProps } from '../button.tsx';
import { useCountdown } from './use-countdown.ts';

export interface SubmitButtonProps extends Omit<ButtonProps, 'type' | 'inactive'> {
  /** Inactive until then (epoch milliseconds). The seconds are shown but not announced. */
  readonly untilMs?: number | null;
}

/** The main button of a form. */
export function SubmitButton(props: SubmitButtonProps) {
  return <CountdownButton look="primary" wide {...props} type="submit" />;
}

/** A button with a countdown, such as "Send it again". */
export function CountdownButton(props: Omit<SubmitButtonProps, 'type'> & Pick<ButtonProps, 'type'>) {
  const { untilMs = null, children, ...rest } = props;
  const seconds = useCountdown(untilMs);
  return (
    <Button {...rest} inactive={seconds > 0}>
      {children}
      {seconds > 0 && <span aria-hidden="true">({seconds} s)</span>}
    </Button>
  );
}
