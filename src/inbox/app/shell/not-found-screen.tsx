import { Link } from 'wouter';
import { buttonClass } from '../../ui/button.tsx';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { appTexts } from '../app-texts.ts';
import layout from '../../ui/layout.module.css';
import styles from './shell.module.css';
import { paths } from '../../shared/routes.ts';

export function NotFoundScreen() {
  const texts = appTexts.use();
  return (
    <div className={styles.pending}>
      <div className={layout.stack}>
        <PageHeading>{texts.notFound}</PageHeading>
        <p>{texts.notFoundText}</p>
        <p>
          <Link className={buttonClass('primary')} href={paths.home}>
            {texts.toInbox}
          </Link>
        </p>
      </div>
    </div>
  );
}
