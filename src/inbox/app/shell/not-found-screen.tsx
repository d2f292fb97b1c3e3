import { Link } from 'wouter';
import { buttonClass } from '../../ui/button.tsx';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { appTexts } from '../app-texts.ts';
import layout from '../../ui/layout.module.css';
import styles from './shell.module.css';
import { paths } from '../../shared/routes.ts';

export function NotFoundScreen() {
  const { notFound, notFoundText } = appTexts.use();
  return <SimplePage title={notFound} text={notFoundText} />;
}

/** `/_app`: the application shell on its own. */
export function ShellScreen() {
  const { shell, shellText } = appTexts.use();
  return <SimplePage title={shell} text={shellText} />;
}

function SimplePage({ title, text }: { readonly title: string; readonly text: string }) {
  const texts = appTexts.use();
  return (
    <div className={styles.pending}>
      <div className={layout.stack}>
        <PageHeading>{title}</PageHeading>
        <p>{text}</p>
        <p>
          <Link className={buttonClass('primary')} href={paths.home}>
            {texts.toInbox}
          </Link>
        </p>
      </div>
    </div>
  );
}
