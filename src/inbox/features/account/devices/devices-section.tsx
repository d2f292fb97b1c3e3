import { useState } from 'react';
import { runFormAction } from '../../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { signOutOthers } from '../../../shared/clients/sign-out-others.ts';
import { signOutHere } from '../../../shared/clients/sign-out.ts';
import { Button } from '../../../ui/button.tsx';
import { toasts } from '../../../ui/state/toasts.ts';
import { FormMessages } from '../../../ui/page/message.tsx';
import layout from '../../../ui/layout.module.css';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Section } from '../../../ui/section.tsx';
import { accountTexts } from '../account-texts.ts';
import { DeviceList } from './device-list.tsx';

/** The signed-in devices, and how to sign out the others or all of them. */
export function DevicesSection() {
  const texts = accountTexts.use();
  const clients = useClients();
  const { auth } = clients;
  const [asking, setAsking] = useState(false);
  const [state, setState] = useState<{
    pending?: 'others' | 'global';
    problem?: string | undefined;
    done?: boolean;
  }>({});
  const signOut = async (scope: 'others' | 'global') => {
    setState({ pending: scope });
    // Actions that wait for an undo are committed while the session still exists.
    if (scope !== 'others') toasts.clear();
    const failure = await runFormAction([], () =>
      scope === 'others' ? signOutOthers(clients) : signOutHere(auth, 'global'),
    );
    setState({ problem: failure?.message, done: !failure && scope === 'others' });
  };
  return (
    <Section id="devices" title={texts.sessions}>
      <DeviceList key={String(state.done)} />
      <FormMessages error={state.problem} success={state.done && texts.othersSignedOut} />
      <div className={layout.row}>
        <Button pending={state.pending === 'others'} onClick={() => void signOut('others')}>
          {texts.signOutOthers}
        </Button>
        <Button look="danger" onClick={() => setAsking(true)}>
          {texts.signOutEverywhere}
        </Button>
      </div>
      <ConfirmDialog
        open={asking}
        title={texts.everywhereTitle}
        action={texts.signOutEverywhere}
        pending={state.pending === 'global'}
        onConfirm={() => void signOut('global')}
        onClose={() => setAsking(false)}
      >
        <p>{texts.everywhereText}</p>
      </ConfirmDialog>
    </Section>
  );
}
