import styles from './spinner.module.css';

/** Decorative: say in words what is loading. */
export function Spinner() {
  return <span className={styles.spinner} aria-hidden="true" />;
}

/** A message that fills the screen, such as `Loading...`. */
export function ScreenMessage({ children }: { readonly children: string }) {
  return (
    <div className={styles.screen} role="status">
      {children}
    </div>
  );
}

/** A placeholder of loading content; visible after 200 ms. Sizes are CSS lengths. */
export function Skeleton({
  width = '100%',
  height = '1em',
}: {
  readonly width?: string;
  readonly height?: string;
}) {
  return <span className={styles.skeleton} style={{ width, height }} aria-hidden="true" />;
}
