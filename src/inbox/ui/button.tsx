import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import styles from './button.module.css';
import { classNames } from './state/class-names.ts';
import { Spinner } from './spinner.tsx';

export type ButtonLook = 'primary' | 'secondary' | 'danger' | 'quiet' | 'link';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled' | 'type'> {
  /** Default `secondary`. */
  readonly look?: ButtonLook;
  readonly type?: 'button' | 'submit';
  /** Shows a spinner and ignores clicks; the button keeps the focus. */
  readonly pending?: boolean;
  /** Disabled, but focusable, so that keyboard and screen-reader users can find it. */
  readonly inactive?: boolean;
  /** As wide as its container, 44 px high. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Button(props: ButtonProps) {
  const {
    look = 'secondary',
    type = 'button',
    pending,
    inactive,
    wide,
    className,
    children,
    onClick,
    ...rest
  } = props;
  const blocked = pending || inactive;
  return (
    <button
      {...rest}
      // eslint-disable-next-line react/button-has-type -- one of the two literals
      type={type}
      aria-disabled={blocked || undefined}
      aria-busy={pending || undefined}
      className={classNames(styles.button, styles[look], wide && styles.wide, className)}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        if (blocked) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {pending && <Spinner />}
      {typeof children === 'string' ? <span>{children}</span> : children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'wide'> {
  /** The accessible name, and the tooltip unless `title` is set. */
  readonly label: string;
  readonly icon: ReactNode;
}

export function IconButton({
  label,
  icon,
  look = 'quiet',
  className,
  title = label,
  ...rest
}: IconButtonProps) {
  return (
    <Button
      {...rest}
      look={look}
      className={classNames(styles.icon, className)}
      aria-label={label}
      title={title}
    >
      {icon}
    </Button>
  );
}

export function buttonClass(look: ButtonLook = 'secondary', wide = false): string {
  return classNames(styles.button, styles[look], wide && styles.wide);
}
