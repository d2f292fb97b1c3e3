import { useEffect, useState, type ReactNode } from 'react';
import { useUser } from 'supabase-protocol-clients/react';
import { formatComingTime } from '../../../shared/coming-time.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { createSenderControlsApi } from '../../../shared/sender-controls/sender-controls-api.ts';
import type {
  BlockedSender,
  MutedThread,
  SenderControlsApi,
} from '../../../shared/sender-controls/sender-controls-api.ts';
import { Button } from '../../../ui/button.tsx';
import { selectLocale } from '../../../ui/locale.ts';
import { toasts } from '../../../ui/state/toasts.ts';
import { Message } from '../../../ui/page/message.tsx';
import { Section } from '../../../ui/section.tsx';
import { useLanguage } from '../../../ui/texts.ts';
import styles from '../preferences.module.css';
import { preferencesTexts } from '../preferences-texts.ts';

interface SenderLists {
  readonly blocked: readonly BlockedSender[];
  readonly muted: readonly MutedThread[];
}

/** The blocked senders and the muted threads, each with a button that ends it. */
export function SenderSection() {
  const [attempt, setAttempt] = useState(0);
  return <SenderControls key={attempt} onRetry={() => setAttempt(attempt + 1)} />;
}

function SenderControls({ onRetry }: { readonly onRetry: () => void }) {
  const texts = preferencesTexts.use();
  const { lists, setLists, hasFailed } = useSenderLists();
  const end = useEnd(lists, setLists);
  if (hasFailed)
    return (
      <Section title={texts.sendersTitle}>
        <Message tone="warning">
          <span>{texts.sendersFailed}</span>{' '}
          <Button look="link" onClick={onRetry}>
            {texts.retry}
          </Button>
        </Message>
      </Section>
    );
  if (!lists) return null;
  return (
    <>
      <BlockedSenders lists={lists} onEnd={end} />
      <MutedThreads lists={lists} onEnd={end} />
    </>
  );
}

function useSenderLists() {
  const { loadRest, platform } = useClients();
  const userId = useUser()?.id ?? '';
  const [lists, setLists] = useState<SenderLists | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    let isUnmounted = false;
    const read = async () => {
      const rest = await loadRest();
      const api = createSenderControlsApi(rest, userId);
      const [blocked, muted] = await Promise.all([api.listBlocked(), api.listMuted()]);
      if (!isUnmounted) setLists({ blocked, muted });
    };
    read().catch((problem: unknown) => {
      platform.report(problem);
      if (!isUnmounted) setHasFailed(true);
    });
    return () => {
      isUnmounted = true;
    };
  }, [loadRest, platform, userId]);

  // Remove a mute that ends while the list is shown: the server lists active ones only.
  const nextEndMs = Math.min(...(lists?.muted ?? []).map((thread) => thread.mutedUntilMs ?? Infinity));
  useEffect(() => {
    const removeEnded = () =>
      setLists((current) => current && { ...current, muted: current.muted.filter(hasNotEnded) });
    const hasNotEnded = ({ mutedUntilMs }: MutedThread) => (mutedUntilMs ?? Infinity) > platform.clock.now();
    const timer = platform.clock.setTimer(removeEnded, nextEndMs - platform.clock.now());
    return () => timer.cancel();
  }, [nextEndMs, platform]);
  return { lists, setLists, hasFailed };
}

type Send = (api: SenderControlsApi) => Promise<void>;
type End = (text: string, next: SenderLists, send: Send, undo: Send) => Promise<void>;

/** Ends a block or a mute, and offers to undo that. */
function useEnd(lists: SenderLists | null, setLists: (lists: SenderLists | null) => void): End {
  const texts = preferencesTexts.use();
  const { loadRest, platform } = useClients();
  const userId = useUser()?.id ?? '';
  /** Shows the changed lists at once; a failure restores them and offers to retry. */
  const change = async (next: SenderLists, send: Send) => {
    setLists(next);
    try {
      const rest = await loadRest();
      await send(createSenderControlsApi(rest, userId));
      return true;
    } catch (problem) {
      platform.report(problem);
      setLists(lists);
      toasts.show(texts.saveFailed, {
        tone: 'error',
        action: { label: texts.retry, run: () => void change(next, send) },
      });
      return false;
    }
  };
  return async (text, next, send, undo) => {
    const earlier = lists;
    if (!earlier || !(await change(next, send))) return;
    toasts.show(text, { action: { label: texts.undo, run: () => void change(earlier, undo), isUndo: true } });
  };
}

interface SenderListProps {
  readonly lists: SenderLists;
  readonly onEnd: End;
}

function BlockedSenders({ lists, onEnd }: SenderListProps) {
  const texts = preferencesTexts.use();
  return (
    <List title={texts.sendersTitle}>
      {lists.blocked.map((sender) => {
        const name = sender.name ?? texts.unknownSender;
        return (
          <Item
            key={sender.senderId}
            name={name}
            label={texts.unblock}
            actionName={texts.unblockNamed(name)}
            onEnd={() =>
              void onEnd(
                texts.unblocked(name),
                { ...lists, blocked: lists.blocked.filter((each) => each !== sender) },
                (api) => api.unblock(sender.senderId),
                (api) => api.block(sender.senderId),
              )
            }
          />
        );
      })}
    </List>
  );
}

function MutedThreads({ lists, onEnd }: SenderListProps) {
  const texts = preferencesTexts.use();
  const { clock } = useClients().platform;
  const locale = selectLocale(navigator.languages, useLanguage());
  return (
    <List title={texts.threadsTitle}>
      {lists.muted.map((thread) => {
        const name = thread.entityName ?? `${thread.entityType} ${thread.entityId}`.trim();
        return (
          <Item
            key={`${thread.entityType} ${thread.entityId}`}
            name={name}
            note={
              thread.mutedUntilMs !== null &&
              texts.mutedUntil(formatComingTime(thread.mutedUntilMs, clock.now(), locale, 'long'))
            }
            label={texts.unmute}
            actionName={texts.unmuteNamed(name)}
            onEnd={() =>
              void onEnd(
                texts.unmuted(name),
                { ...lists, muted: lists.muted.filter((each) => each !== thread) },
                (api) => api.unmute(thread),
                (api) => api.mute(thread),
              )
            }
          />
        );
      })}
    </List>
  );
}

interface ListProps {
  readonly title: string;
  readonly children: readonly ReactNode[];
}

/** Renders nothing without items. */
function List({ title, children }: ListProps) {
  return (
    children.length > 0 && (
      <Section title={title}>
        <ul className={styles.group}>{children}</ul>
      </Section>
    )
  );
}

interface ItemProps {
  readonly name: string;
  /** Shown below the name. */
  readonly note?: ReactNode;
  readonly label: string;
  readonly actionName: string;
  readonly onEnd: () => void;
}

function Item({ name, note, label, actionName, onEnd }: ItemProps) {
  return (
    <li className={styles.sender}>
      <div>
        <span dir="auto">{name}</span>
        {note && <p className={styles.hint}>{note}</p>}
      </div>
      <Button aria-label={actionName} onClick={onEnd}>
        {label}
      </Button>
    </li>
  );
}
