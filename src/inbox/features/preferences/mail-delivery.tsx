import { RestError } from 'supabase-protocol-clients/rest-client';
import { timeOfDay } from '../../shared/coming-time.ts';
import { Button } from '../../ui/button.tsx';
import { toasts } from '../../ui/state/toasts.ts';
import { Message } from '../../ui/page/message.tsx';
import { useLanguage } from '../../ui/texts.ts';
import { useMailStatus, type MailStatus } from './data/mail-status.ts';
import type { PreferenceChange, Preferences } from './preferences.ts';
import layout from '../../ui/layout.module.css';
import styles from './preferences.module.css';
import { preferencesTexts } from './preferences-texts.ts';
import { BrowserTimeZoneOffer } from './time-zone-choice.tsx';

export interface MailDeliveryProps {
  readonly preferences: Preferences;
  readonly onChange: (change: PreferenceChange) => void;
}

/** What the chosen frequency means, when the next email is sent, and why none arrives. */
export function MailDelivery({ preferences, onChange }: MailDeliveryProps) {
  const texts = preferencesTexts.use();
  const { status, isSending, sendTest, isAllowing, allowAddress } = useMailStatus(preferences, {
    onTestSent: () => toasts.show(texts.testSent),
    onFailure: (problem) =>
      toasts.show(isRateLimited(problem) ? texts.testLimited : texts.mailFailed, { tone: 'error' }),
  });
  const zone = preferences.time_zone ?? 'UTC';
  const isTimed = ['daily', 'weekly'].includes(preferences.email_digest_frequency);
  return (
    <div className={styles.mail}>
      <p className={layout.hint}>
        {texts.meaning[preferences.email_digest_frequency]}{' '}
        {status && !status.obstacle && preferences.email_digest_frequency !== 'never' && (
          <NextMail status={status} timeZone={zone} />
        )}
      </p>
      {isTimed && preferences.time_zone !== undefined && (
        <BrowserTimeZoneOffer zone={zone} onChange={onChange} />
      )}
      {status?.obstacle === 'suppressed' && (
        <Message tone="warning">
          {texts.suppressed[status.suppression_reason ?? 'bounce'](status.address ?? '')}{' '}
          <Button look="link" pending={isAllowing} onClick={allowAddress}>
            {texts.allowAddress}
          </Button>
        </Message>
      )}
      {status?.obstacle === 'unconfirmed' && <Message tone="warning">{texts.unconfirmed}</Message>}
      {status && !status.obstacle && (
        <Button pending={isSending} onClick={sendTest}>
          {texts.sendTest}
        </Button>
      )}
    </div>
  );
}

function NextMail({ status, timeZone }: { readonly status: MailStatus; readonly timeZone: string }) {
  const texts = preferencesTexts.use();
  const language = useLanguage();
  if (!status.next_at) return null;
  const time = new Intl.DateTimeFormat(language, {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    ...timeOfDay(language),
    timeZoneName: 'short',
    timeZone: knownTimeZone(timeZone),
  }).format(Date.parse(status.next_at));
  return status.waiting > 0 ? texts.nextMail(time, status.waiting) : texts.nextMailEmpty;
}

/** The database may know zones that the browser does not. */
function knownTimeZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

function isRateLimited(problem: unknown): boolean {
  return problem instanceof RestError && problem.status === 429;
}
