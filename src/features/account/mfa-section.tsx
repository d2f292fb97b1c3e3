import { lazy, Suspense, useState } from 'react';
import type { Factor, UnverifiedUser } from '../../auth-client/index.ts';
import { createMfa } from '../../auth-client/mfa.ts';
import { attempt } from '../../app/auth-problem.ts';
import { useClients } from '../../app/clients-context.ts';
import { Button } from '../../ui/button.tsx';
import { FormMessages } from '../../ui/message.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import type { AccountTexts } from './account-texts.en.ts';
import { accountTexts } from './account-texts.ts';
import styles from './account.module.css';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Section } from './section.tsx';

const MfaEnrolment = lazy(async () => ({ default: (await import('./mfa-enrolment.tsx')).MfaEnrolment }));

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
  const [news, setNews] = useState<string>();
  return (
    <Section title={texts.mfa} intro={texts.mfaIntro}>
      <FormMessages success={news} />
      <p>{verified.length > 0 ? texts.mfaOn : texts.mfaNone}</p>
      {factors.length > 0 && (
        <ul className={styles.list}>
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
      {verified.length === 1 && <p className={styles.intro}>{texts.mfaRecovery}</p>}
      {isAdding ? (
        <Suspense fallback={<Spinner />}>
          <MfaEnrolment
            leftover={factors.filter(
              ({ status, factor_type }) => status !== 'verified' && factor_type === 'totp',
            )}
            onCancel={() => setAdding(false)}
            onAdded={async (name) => {
              setAdding(false);
              setNews(texts.mfaAdded(name));
              await onChanged();
            }}
          />
        </Suspense>
      ) : (
        <div className={styles.row}>
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
      <RemoveDialog
        factor={removing}
        isLast={verified.length === 1 && removing?.status === 'verified'}
        onClose={() => setRemoving(null)}
        onRemoved={async (name) => {
          setRemoving(null);
          setNews(texts.mfaRemoved(name));
          await onChanged();
        }}
      />
    </Section>
  );
}

interface RemoveDialogProps {
  readonly factor: Factor | null;
  readonly isLast: boolean;
  readonly onClose: () => void;
  readonly onRemoved: (name: string) => Promise<void>;
}

function RemoveDialog({ factor, isLast, onClose, onRemoved }: RemoveDialogProps) {
  const texts = accountTexts.use();
  const { auth } = useClients();
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const name = factor ? nameOf(factor, texts) : '';
  const remove = async () => {
    if (!factor) return;
    setPending(true);
    const failure = await attempt([], () => createMfa(auth).unenroll({ factorId: factor.id }));
    setPending(false);
    setProblem(failure?.message);
    if (!failure) await onRemoved(name);
  };
  return (
    <ConfirmDialog
      open={factor !== null}
      title={texts.mfaRemoveTitle(name)}
      action={texts.remove}
      pending={pending}
      onConfirm={() => void remove()}
      onClose={() => {
        setProblem(undefined);
        onClose();
      }}
    >
      <FormMessages error={problem} />
      <p>{texts.mfaRemoveText}</p>
      {isLast && <p>{texts.mfaRemoveLast}</p>}
    </ConfirmDialog>
  );
}

function nameOf({ friendly_name, factor_type }: Factor, texts: AccountTexts): string {
  if (friendly_name) return friendly_name;
  if (factor_type === 'phone') return texts.mfaPhone;
  return factor_type === 'webauthn' ? texts.mfaPasskey : texts.mfaUnnamed;
}
