import { useRef, useState } from 'react';
import type { Factor, UnverifiedUser } from 'supabase-protocol-clients/auth-client';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { accountTexts, type AccountTexts } from '../account-texts.ts';
import layout from '../../../ui/layout.module.css';
import styles from '../account.module.css';
import { Section } from '../../../ui/section.tsx';
import { MfaEnrollment } from './mfa-enrollment.tsx';
import { MfaRemoval } from './mfa-removal.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

export interface MfaSectionProps {
  readonly user: UnverifiedUser;
  readonly onChanged: () => Promise<void>;
}

export function MfaSection({ user, onChanged }: MfaSectionProps) {
  const texts = accountTexts.use();
  const factors = user.factors ?? [];
  const verified = factors.filter(({ status }) => status === 'verified');
  const [removing, setRemoving] = useState<Factor | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [news, setNews] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  const end = async () => {
    setAdding(false);
    heading.current?.focus();
    await onChanged();
  };
  return (
    <Section id="two-step" title={texts.mfa} intro={texts.mfaIntro} headingRef={heading}>
      <FormMessages success={news} />
      <p>{verified.length > 0 ? texts.mfaOn : texts.mfaNone}</p>
      {factors.length > 0 && (
        <ul className={layout.list}>
          {factors.map((factor) => (
            <li key={factor.id} className={styles.item}>
              <span className={styles.itemText}>
                {nameOf(factor, texts)}
                {factor.status !== 'verified' && (
                  <span className={styles.itemHint}>{texts.mfaUnfinished}</span>
                )}
              </span>
              <Button
                aria-label={`${texts.remove}: ${nameOf(factor, texts)}`}
                onClick={() => setRemoving(factor)}
              >
                {texts.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {verified.length === 1 && <p className={layout.hint}>{texts.mfaRecovery}</p>}
      {verified.length > 0 && <RecoveryCodes key={codes?.[0] ?? 'status'} created={codes} />}
      {isAdding ? (
        <MfaEnrollment
          onCancel={() => void end()}
          isFirst={verified.length === 0}
          onAdded={(name, created) => {
            setCodes(created);
            setNews(texts.mfaAdded(name));
            return end();
          }}
        />
      ) : (
        <div className={layout.row}>
          <Button
            onClick={() => {
              setNews(undefined);
              setAdding(true);
            }}
          >
            {texts.mfaAdd}
          </Button>
        </div>
      )}
      <MfaRemoval
        factor={removing}
        name={removing ? nameOf(removing, texts) : ''}
        isLast={verified.length === 1 && removing?.status === 'verified'}
        onClose={() => setRemoving(null)}
        onRemoved={async (name) => {
          setRemoving(null);
          setNews(texts.removed(name));
          await onChanged();
          // The dialog returns the focus to a button that no longer exists.
          heading.current?.focus();
        }}
      />
    </Section>
  );
}

function nameOf({ friendly_name, factor_type }: Factor, texts: AccountTexts): string {
  if (friendly_name) return friendly_name;
  if (factor_type === 'phone') return texts.mfaPhone;
  return factor_type === 'webauthn' ? texts.mfaPasskey : texts.mfaUnnamed;
}
