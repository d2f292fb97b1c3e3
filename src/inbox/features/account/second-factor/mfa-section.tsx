import { useMemo, useRef, useState } from 'react';
import type { Factor, UnverifiedUser } from 'supabase-protocol-clients/auth-client';
import { createMfa, type EnrolledFactor } from 'supabase-protocol-clients/auth-client/mfa';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { accountTexts, type AccountTexts } from '../account-texts.ts';
import layout from '../../../ui/layout.module.css';
import styles from '../account.module.css';
import { Section } from '../../../ui/section.tsx';
import { keptOnceLoaded, onDemand } from '../../../ui/state/loader.ts';
import { SlowNote } from '../../../ui/form/slow-note.tsx';
import { useRecentProof } from '../proof/recent-proof.tsx';
import { MfaRemoval } from './mfa-removal.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

const importEnrollment = () => import('./mfa-enrollment.tsx');
const loadEnrollment = keptOnceLoaded(async () => (await importEnrollment()).MfaEnrollment);
const MfaEnrollment = onDemand(loadEnrollment);

export interface MfaSectionProps {
  readonly user: UnverifiedUser;
  readonly onChanged: () => Promise<void>;
}

export function MfaSection({ user, onChanged }: MfaSectionProps) {
  const texts = accountTexts.use();
  const allFactors = useMemo(() => user.factors ?? [], [user]);
  // The service lists its recovery codes as a factor; they have a separate section here.
  const factors = allFactors.filter(({ factor_type }) => factor_type !== 'recovery_code');
  const verified = factors.filter(({ status }) => status === 'verified');
  const [removing, setRemoving] = useState<Factor | null>(null);
  const { auth, platform } = useClients();
  const proof = useRecentProof();
  const [enrolled, setEnrolled] = useState<EnrolledFactor | null>(null);
  const [state, setState] = useState<{ readonly pending?: boolean; readonly problem?: string | undefined }>(
    {},
  );
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [news, setNews] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  const add = async () => {
    setNews(undefined);
    setState({});
    if (!(await proof.request('factors'))) return;
    setState({ pending: true });
    const failure = await runFormAction([], async () => {
      const [{ startEnrollment }] = await Promise.all([importEnrollment(), loadEnrollment()]);
      setEnrolled(await startEnrollment(auth, texts.mfaDefaultName));
    });
    setState({ problem: failure?.message });
  };
  const close = () => {
    setEnrolled(null);
    heading.current?.focus();
  };
  const cancel = async ({ id }: EnrolledFactor) => {
    close();
    // A factor that this fails to remove is listed as unfinished.
    await createMfa(auth).unenroll({ factorId: id }).catch(platform.report);
    await onChanged();
  };
  return (
    <Section id="two-step" title={texts.mfa} intro={texts.mfaIntro} headingRef={heading}>
      <FormMessages error={state.problem} success={news} />
      {verified.length > 0 && <p>{texts.mfaOn}</p>}
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
      {verified.length > 0 && (
        <RecoveryCodes
          key={codes?.[0] ?? 'status'}
          created={codes}
          factors={allFactors}
          onChanged={onChanged}
        />
      )}
      {enrolled ? (
        <MfaEnrollment
          key={enrolled.id}
          factor={enrolled}
          otherNames={factors.filter(({ id }) => id !== enrolled.id).map((factor) => factor.friendly_name)}
          isFirst={verified.length === 0}
          onCancel={() => void cancel(enrolled)}
          onAdded={(name, created) => {
            setCodes(created);
            setNews(texts.mfaAdded(name));
            close();
            return onChanged();
          }}
        />
      ) : (
        <div className={layout.row}>
          <Button pending={state.pending ?? false} onClick={() => void add()}>
            {texts.mfaAdd}
          </Button>
        </div>
      )}
      <SlowNote pending={state.pending ?? false} />
      {proof.dialog}
      <MfaRemoval
        factor={removing}
        name={removing ? nameOf(removing, texts) : ''}
        isLast={verified.length === 1 && removing?.status === 'verified'}
        hasServiceCodes={factors.length < allFactors.length}
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
