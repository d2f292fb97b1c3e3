import { useRef, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { Passkey } from 'supabase-protocol-clients/auth-client/passkeys';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { rememberPasskeyUse } from '../../../shared/known-passkey.ts';
import { Button } from '../../../ui/button.tsx';
import { SlowNote } from '../../../ui/form/slow-note.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { Section } from '../../../ui/section.tsx';
import { Skeleton } from '../../../ui/spinner.tsx';
import layout from '../../../ui/layout.module.css';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { useRecentProof } from '../proof/recent-proof.tsx';
import { accountTexts } from '../account-texts.ts';
import { PasskeyRename } from './passkey-rename.tsx';
import { PasskeyRow } from './passkey-row.tsx';
import { isMissingPasskey, usePasskeys } from '../use-passkeys.ts';

interface SectionState {
  readonly step?: 'adding' | 'renaming' | 'asking' | 'removing';
  /** The passkey of the dialog that is open. */
  readonly passkey?: Passkey;
  readonly news?: string;
  readonly problem?: string | undefined;
}

/** The user's passkeys: add, rename, remove. Renders nothing where the project offers none. */
export function PasskeysSection() {
  const { passkey: texts, ...common } = accountTexts.use();
  const heading = useRef<HTMLHeadingElement>(null);
  const { client, status, passkeys, state, setState, nameOf, ...actions } = usePasskeyActions(heading);
  const { step, passkey, news, problem } = state;
  if (status === 'disabled') return null;
  const isAsking = step === 'asking' || step === 'removing';
  const error = (!isAsking && problem) || (status === 'failed' && texts.loadFailed);
  return (
    <Section id="passkeys" title={common.passkeys} intro={texts.intro} headingRef={heading}>
      <FormMessages error={error} success={news} />
      {status === 'loading' && <Skeleton height="64px" />}
      <SlowNote pending={status === 'loading'} />
      {status === 'loaded' && passkeys.length === 0 && <p>{texts.none}</p>}
      {passkeys.length > 0 && (
        <ul className={layout.list}>
          {passkeys.map((each) => (
            <PasskeyRow
              key={each.id}
              passkey={each}
              name={nameOf(each)}
              onRename={() => setState({ step: 'renaming', passkey: each })}
              onRemove={() => setState({ step: 'asking', passkey: each })}
            />
          ))}
        </ul>
      )}
      {client.isSupported() ? (
        <div className={layout.row}>
          <Button pending={step === 'adding'} onClick={() => void actions.add()}>
            {texts.add}
          </Button>
        </div>
      ) : (
        <p className={layout.hint}>{texts.unsupported}</p>
      )}
      {step === 'renaming' && passkey && (
        <PasskeyRename
          client={client}
          passkey={passkey}
          onClose={() => setState({})}
          onRenamed={actions.replace}
          onMissing={() => actions.drop(passkey, texts.gone)}
        />
      )}
      <ConfirmDialog
        open={isAsking}
        title={passkey ? common.removeTitle(nameOf(passkey)) : ''}
        action={common.remove}
        pending={step === 'removing'}
        onConfirm={() => passkey && void actions.remove(passkey)}
        onClose={() => setState({})}
      >
        <FormMessages error={problem} />
        <p>{texts.removeText}</p>
      </ConfirmDialog>
      {actions.dialog}
    </Section>
  );
}

function usePasskeyActions(heading: RefObject<HTMLElement | null>) {
  const { passkey: texts, ...common } = accountTexts.use();
  const { client, status, passkeys, change } = usePasskeys();
  const proof = useRecentProof();
  const [state, setState] = useState<SectionState>({});
  const nameOf = ({ friendlyName }: Passkey) => friendlyName ?? texts.unnamed;
  const add = async () => {
    setState({});
    if (!(await proof.request('passkeys'))) return;
    setState({ step: 'adding' });
    const failure = await runFormAction([], async () => {
      const added = await client.registerPasskey();
      rememberPasskeyUse();
      change((known) => [...known, added]);
      setState({ news: texts.hasAdded(nameOf(added)) });
    });
    if (failure) setState({ problem: failure.message });
  };
  const replace = (renamed: Passkey) => {
    change((known) => known.map((each) => (each.id === renamed.id ? renamed : each)));
    setState({ news: texts.renamed(nameOf(renamed)) });
  };
  const drop = ({ id }: Passkey, text: string) => {
    flushSync(() => {
      change((known) => known.filter((other) => other.id !== id));
      setState({ news: text });
    });
    // The dialog, which kept the focus, has returned it to a button that no longer exists.
    heading.current?.focus();
  };
  const remove = async (target: Passkey) => {
    if (!(await proof.request('passkeys'))) return;
    setState({ step: 'removing', passkey: target });
    const failure = await runFormAction([], async () => {
      await client.removePasskey({ passkeyId: target.id }).catch((refusal: unknown) => {
        if (!isMissingPasskey(refusal)) throw refusal;
      });
      drop(target, common.removed(nameOf(target)));
    });
    if (failure) setState({ step: 'asking', passkey: target, problem: failure.message });
  };
  const { dialog } = proof;
  return { client, status, passkeys, state, setState, nameOf, add, replace, drop, remove, dialog };
}
