import { useMemo, useState } from 'react';
import type { Factor, Session } from 'supabase-protocol-clients/auth-client';
import { createMfa, type Mfa } from 'supabase-protocol-clients/auth-client/mfa';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { signOutHere } from '../../../shared/clients/sign-out.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { authenticatorCodeLength } from '../../../ui/form/credential-rules.ts';
import { FormMessages } from '../../../ui/page/message.tsx';
import { CountdownButton } from '../../../ui/form/submit-button.tsx';
import { useSending } from '../../../ui/form/use-sending.ts';
import { AuthPage } from '../auth-page.tsx';
import { authTexts } from '../auth-texts.ts';
import { CodeForm } from '../../../shared/auth-problem/code-form.tsx';
import { RecoveryForm } from './recovery-form.tsx';

/** The second step of a sign-in: raises the session to `aal2`, after which `App` redirects. */
export function MfaChallenge({ session }: { readonly session: Session }) {
  const texts = authTexts.use();
  const { auth } = useClients();
  const mfa = useMemo(() => createMfa(auth), [auth]);
  const factors = (session.user.factors ?? []).filter(
    ({ status, factor_type }) =>
      status === 'verified' && factor_type !== 'webauthn' && factor_type !== 'recovery_code',
  );
  const [isRecovering, setRecovering] = useState(false);
  const [factorId, setFactorId] = useState(factors.find(isApp)?.id ?? factors[0]?.id);
  const factor = factors.find(({ id }) => id === factorId);
  if (isRecovering)
    return (
      <AuthPage key="recovery" title={texts.mfaRecoveryTitle} intro={texts.mfaRecoveryIntro}>
        <RecoveryForm factors={session.user.factors} />
        <Button look="link" onClick={() => setRecovering(false)}>
          {texts.mfaBack}
        </Button>
      </AuthPage>
    );
  const intro = !factor
    ? texts.mfaUnknown
    : isApp(factor)
      ? texts.mfaIntro(session.user.email ?? '')
      : texts.mfaPhoneIntro;
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
  return (
    <CodeForm
      label={texts.mfaCode}
      submit={texts.confirm}
      digits={authenticatorCodeLength}
      onCode={(code) => mfa.challengeAndVerify({ factorId, code })}
    />
  );
}

/** Sends the text message on request, then asks for its code. */
function PhoneCode({ mfa, factorId }: FactorProps) {
  const texts = authTexts.use();
  const [challengeId, setChallengeId] = useState<string>();
  const sending = useSending();
  const challenge = async () => setChallengeId((await mfa.challenge({ factorId, channel: 'sms' })).id);
  return (
    <>
      <FormMessages error={sending.problem} success={sending.hasSent && texts.mfaPhoneSent} />
      {challengeId && (
        <CodeForm
          label={texts.mfaPhoneCode}
          submit={texts.confirm}
          digits={authenticatorCodeLength}
          onCode={(code) => mfa.verify({ factorId, challengeId, code })}
        />
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
