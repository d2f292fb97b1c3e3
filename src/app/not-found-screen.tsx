import { Link } from 'wouter';
import { buttonClass } from '../ui/button.tsx';
import { PageHeading } from '../ui/page-heading.tsx';
import { appTexts } from './app-texts.ts';
import styles from './shell.module.css';
import { paths } from './routes.ts';

export function NotFoundScreen() {
  const texts = appTexts.use();
  return (
    <div className={styles.page}>
      <PageHeading>{texts.notFound}</PageHeading>
      <p>{texts.notFoundText}</p>
      <p>
        <Link className={buttonClass('primary')} href={paths.home}>
          {texts.toInbox}
        </Link>
      </p>
    </div>
  );
}

/** `/_app`: the shell on its own, which a service worker can serve for any page while offline. */
export function ShellScreen() {
  const texts = appTexts.use();
  return (
    <div className={styles.page}>
      <PageHeading>{texts.shell}</PageHeading>
      <p>{texts.shellText}</p>
      <p>
        <Link className={buttonClass('primary')} href={paths.home}>
          {texts.toInbox}
        </Link>
      </p>
    </div>
  );
}
