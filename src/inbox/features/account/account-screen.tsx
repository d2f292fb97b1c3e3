import { useEffect } from 'react';
import { shownCallbackErrors, useAuthErrorText } from '../../shared/auth-problem/auth-problem.ts';
import { useAuth } from 'supabase-protocol-clients/react';
import { Button } from '../../ui/button.tsx';
import { Message } from '../../ui/page/message.tsx';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { accountTexts } from './account-texts.ts';
import layout from '../../ui/layout.module.css';
import styles from './account.module.css';
import { DataSection } from './data-section.tsx';
import { DevicesSection } from './devices/devices-section.tsx';
import { EmailSection } from './email/email-section.tsx';
import { IdentitiesSection } from './identities-section.tsx';
import { MfaSection } from './second-factor/mfa-section.tsx';
import { PasskeysSection } from './passkeys/passkeys-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { useAccount } from './use-account.ts';

/** `/account`: shows the stored session's user until the response arrives. */
export function AccountScreen() {
  const texts = accountTexts.use();
  const { callbackError } = useAuth();
  const linkProblem = useAuthErrorText(callbackError?.code);
  const account = useAccount();
  const isShown = linkProblem !== null && account !== null;
  useEffect(() => {
    if (callbackError && isShown) shownCallbackErrors.add(callbackError);
  }, [callbackError, isShown]);
  if (account === null) return null;
  const { user, status, problem, reload } = account;
  return (
    <div className={layout.page} aria-busy={status === 'loading'}>
      <PageHeading>{texts.title}</PageHeading>
      <div role="alert">
        {linkProblem && <Message tone="warning">{linkProblem}</Message>}
        {status === 'failed' && (
          <Message tone="error">
            <p>
              <span>{texts.loadFailed}</span> <span>{problem}</span>
            </p>
            <Button look="link" onClick={() => void reload()}>
              {texts.retry}
            </Button>
          </Message>
        )}
      </div>
      <div className={styles.sections}>
        <ProfileSection key={`profile-${user.id}`} user={user} />
        <EmailSection user={user} onChanged={reload} />
        <PasswordSection user={user} />
        <MfaSection user={user} onChanged={reload} />
        <IdentitiesSection user={user} onChanged={reload} />
        <PasskeysSection />
        <DevicesSection />
        <DataSection />
      </div>
    </div>
  );
}
