import { useMemo, useRef, useState, type RefObject } from 'react';
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
import { createComponentLoader, onDemand } from '../../../ui/state/loader.ts';
import { SlowNote } from '../../../ui/form/slow-note.tsx';
import { useRecentProof } from '../proof/recent-proof.tsx';
import { MfaRemoval } from './mfa-removal.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

const importEnrollment = () => import('./mfa-enrollment.tsx');
const loadEnrollment = createComponentLoader(async () => (await importEnrollment()).MfaEnrollment);
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
  const heading = useRef<HTMLHeadingElement>(null);
  const { enrolled, codes, news, setNews, ...enrollment } = useEnrollment(heading, onChanged);
  return (
    <Section id="two-step" title={texts.mfa} intro={texts.mfaIntro} headingRef={heading}>
      <FormMessages error={enrollment.problem} success={news} />
      {verified.length > 0 && <p>{texts.mfaOn}</p>}
      <FactorList factors={factors} onRemove={setRemoving} />
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
          onCancel={() => void enrollment.cancel(enrolled)}
          onAdded={enrollment.finish}
        />
      ) : (
        <div className={layout.row}>
          <Button pending={enrollment.pending} onClick={() => void enrollment.begin()}>
            {texts.mfaAdd}
          </Button>
        </div>
      )}
      <SlowNote pending={enrollment.pending} />
      {enrollment.dialog}
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

/** The enrollment of a factor, which begins after a proof. Its end moves the focus to the heading. */
function useEnrollment(heading: RefObject<HTMLElement | null>, onChanged: () => Promise<void>) {
  const texts = accountTexts.use();
  const { auth, platform } = useClients();
  const proof = useRecentProof();
  const [enrolled, setEnrolled] = useState<EnrolledFactor | null>(null);
  /** The recovery codes that were created with the first factor. */
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [news, setNews] = useState<string>();
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const begin = async () => {
    setNews(undefined);
    setProblem(undefined);
    if (!(await proof.request('factors'))) return;
    setPending(true);
    const failure = await runFormAction([], async () => {
      const [{ startEnrollment }] = await Promise.all([importEnrollment(), loadEnrollment()]);
      setEnrolled(await startEnrollment(auth, texts.mfaDefaultName));
    });
    setProblem(failure?.message);
    setPending(false);
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
  const finish = (name: string, created: readonly string[] | null) => {
    setCodes(created);
    setNews(texts.mfaAdded(name));
    close();
    return onChanged();
  };
  const { dialog } = proof;
  return { enrolled, codes, news, setNews, pending, problem, begin, cancel, finish, dialog };
}

interface FactorListProps {
  readonly factors: readonly Factor[];
  readonly onRemove: (factor: Factor) => void;
}

function FactorList({ factors, onRemove }: FactorListProps) {
  const texts = accountTexts.use();
  if (factors.length === 0) return null;
  return (
    <ul className={layout.list}>
      {factors.map((factor) => (
        <li key={factor.id} className={styles.item}>
          <span className={styles.itemText}>
            {nameOf(factor, texts)}
            {factor.status !== 'verified' && <span className={styles.itemHint}>{texts.mfaUnfinished}</span>}
          </span>
          <Button aria-label={`${texts.remove}: ${nameOf(factor, texts)}`} onClick={() => onRemove(factor)}>
            {texts.remove}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function nameOf({ friendly_name, factor_type }: Factor, texts: AccountTexts): string {
  if (friendly_name) return friendly_name;
  if (factor_type === 'phone') return texts.mfaPhone;
  return factor_type === 'webauthn' ? texts.mfaPasskey : texts.mfaUnnamed;
}
