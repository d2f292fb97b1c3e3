import { Suspense, useMemo, useState } from 'react';
import type { Factor, Session } from 'supabase-protocol-clients/auth-client';
import { createMfa, type Mfa } from 'supabase-protocol-clients/auth-client/mfa';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { signOutHere } from '../../../shared/clients/sign-out.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { authenticatorCodeLength, checkCode, compactCode } from '../../../ui/form/credential-rules.ts';
import { credentialTexts } from '../../../ui/form/credential-texts.ts';
import { FormMessages } from '../../../ui/page/message.tsx';
import { CountdownButton, SubmitButton } from '../../../ui/form/submit-button.tsx';
import { CodeField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { useSending } from '../../../ui/form/use-sending.ts';
import { Spinner } from '../../../ui/spinner.tsx';
import { lazyPart } from '../../../ui/state/lazy-part.ts';
import { AuthPage } from '../auth-page.tsx';
import { authTexts } from '../auth-texts.ts';
import styles from '../auth-page.module.css';

const RecoveryForm = lazyPart(async () => (await import('./recovery-form.tsx')).RecoveryForm);

/** The second step of a sign-in: raises the session to `aal2`, after which `App` redirects. */
export function MfaChallenge({ session }: { readonly session: Session }) {
  const texts = authTexts.use();
  const { auth } = useClients();
  const mfa = useMemo(() => createMfa(auth), [auth]);
  const factors = (session.user.factors ?? []).filter(
    ({ status, factor_type }) => status === 'verified' && factor_type !== 'webauthn',
  );
  const [isRecovering, setRecovering] = useState(false);
  const [factorId, setFactorId] = useState(factors.find(isApp)?.id ?? factors[0]?.id);
  const factor = factors.find(({ id }) => id === factorId);
  if (isRecovering)
    return (
      <AuthPage key="recovery" title={texts.mfaRecoveryTitle} intro={texts.mfaRecoveryIntro}>
        <Suspense fallback={<Spinner />}>
          <RecoveryForm />
        </Suspense>
        <Button look="link" onClick={() => setRecovering(false)}>
          {texts.mfaBack}
        </Button>
      </AuthPage>
    );
  const intro = !factor ? texts.mfaUnknown : isApp(factor) ? texts.mfaIntro : texts.mfaPhoneIntro;
  return (
    <AuthPage title={texts.mfaTitle} intro={intro}>
      {factors.length > 1 && (
        <Choice
          label={texts.mfaFactor}
          value={factorId ?? ''}
          options={factors.map((each) => [each.id, each.friendly_name || nameOf(each, texts)] as const)}
          onChange={setFactorId}
        />
      )}
      {factor && isApp(factor) && <AppCode key={factor.id} mfa={mfa} factorId={factor.id} />}
      {factor && !isApp(factor) && <PhoneCode key={factor.id} mfa={mfa} factorId={factor.id} />}
      <Button look="link" onClick={() => setRecovering(true)}>
        {texts.mfaLost}
      </Button>
      <Button look="link" onClick={() => void signOutHere(auth, 'local')}>
        {texts.mfaOtherAccount}
      </Button>
    </AuthPage>
  );
}

const isApp = ({ factor_type }: Factor) => factor_type === 'totp';

function nameOf(factor: Factor, texts: { readonly mfaUnnamed: string; readonly mfaPhone: string }): string {
  return isApp(factor) ? texts.mfaUnnamed : texts.mfaPhone;
}

interface FactorProps {
  readonly mfa: Mfa;
  readonly factorId: string;
}

function AppCode({ mfa, factorId }: FactorProps) {
  const texts = authTexts.use();
  return <CodeForm label={texts.mfaCode} onCode={(code) => mfa.challengeAndVerify({ factorId, code })} />;
}

/** Sends the text message on request, then asks for its code. */
function PhoneCode({ mfa, factorId }: FactorProps) {
  const texts = authTexts.use();
  const [challengeId, setChallengeId] = useState<string>();
  const sending = useSending();
  const challenge = async () => setChallengeId((await mfa.challenge({ factorId, channel: 'sms' })).id);
  return (
    <>
      <FormMessages
        error={sending.problem}
        success={challengeId !== undefined && sending.problem === undefined && texts.mfaPhoneSent}
      />
      {challengeId && (
        <CodeForm label={texts.mfaPhoneCode} onCode={(code) => mfa.verify({ factorId, challengeId, code })} />
      )}
      <CountdownButton
        wide
        look={challengeId ? 'secondary' : 'primary'}
        pending={sending.pending}
        untilMs={sending.nextAtMs}
        onClick={() => void sending.send(() => runFormAction([], challenge))}
      >
        {challengeId ? texts.resend : texts.mfaPhoneSend}
      </CountdownButton>
    </>
  );
}

interface CodeFormProps {
  readonly label: string;
  readonly onCode: (code: string) => Promise<unknown>;
}

function CodeForm({ label, onCode }: CodeFormProps) {
  const texts = authTexts.use();
  const rules = credentialTexts.use();
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => ({ code: checkCode(code, rules, authenticatorCodeLength) }),
    submit: ({ code }) => runFormAction(['code'], () => onCode(compactCode(code))),
  });
  return (
    <form {...form.props} className={styles.form}>
      <FormMessages error={form.problem} />
      <CodeField label={label} required maxLength={9} {...form.field('code')} />
      <SubmitButton pending={form.pending} untilMs={form.retryAtMs}>
        {texts.confirm}
      </SubmitButton>
    </form>
  );
}
