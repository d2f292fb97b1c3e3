/**
 * The script of the static page unsubscribe.html#token=…&kind=…, to which the links of mails lead. It imports nothing of
 * the application: the page needs no session and opens at once.
 */
import { mailKinds, unsubscribeTextsOf } from './unsubscribe-texts.ts';

interface Subscription {
  /** Null: the mails of all kinds. */
  readonly kind: string | null;
  /** The label of a kind that the team registered. */
  readonly label: string | null;
  readonly is_off: boolean;
  readonly language: string;
}

type Action = 'show' | 'unsubscribe' | 'undo';

const supabaseUrl = String(import.meta.env['VITE_SUPABASE_URL'] ?? '').replace(/\/+$/, '');
const { documentElement: root } = document;
const message = document.querySelector('#message');
const actions = document.querySelector('#actions');
const link = new URLSearchParams(location.hash.slice(1));

let texts = unsubscribeTextsOf(root.lang);

/** null: the token is forged or has ended. @throws {Error} if the server cannot be reached or fails. */
async function call(action: Action, kind: string | null): Promise<Subscription | null> {
  const response = await fetch(`${supabaseUrl}/functions/v1/unsubscribe`, {
    method: 'POST',
    body: new URLSearchParams({
      action,
      token: link.get('token') ?? '',
      ...(kind !== null && { kind }),
    }),
    credentials: 'omit',
  });
  if (response.status === 400) return null;
  if (!response.ok) throw new Error(`The function unsubscribe responded with ${response.status}`);
  return (await response.json()) as Subscription;
}

/** After this time a pending request shows that it is slow. */
const slowMs = 2_000;

async function run(action: Action, kind: string | null): Promise<void> {
  for (const button of document.querySelectorAll('button')) button.disabled = true;
  const slowTimer = setTimeout(() => {
    if (message) message.textContent = texts.slow;
  }, slowMs);
  try {
    const subscription = await call(action, kind);
    if (!subscription) return show(texts.invalid, []);
    useLanguage(subscription.language);
    const what = nameOf(subscription);
    if (action === 'undo') show(texts.undone(what), []);
    else if (subscription.is_off) show(texts.done(what), [[texts.undo, 'undo', kind]]);
    else
      show(texts.question(what), [
        [texts.confirm, 'unsubscribe', kind],
        ...(what === null ? [] : ([[texts.stopAll, 'unsubscribe', null]] as const)),
      ]);
  } catch {
    show(texts.failed, [[texts.retry, action, kind]]);
  } finally {
    clearTimeout(slowTimer);
  }
}

/** The mails that the link is about; null: all of them. */
function nameOf({ kind, label }: Subscription): string | null {
  if (label !== null) return texts.label(label);
  const builtIn = mailKinds.find((name) => name === kind);
  return builtIn === undefined ? null : texts.kinds[builtIn];
}

function useLanguage(language: string): void {
  texts = unsubscribeTextsOf(language);
  root.lang = language.slice(0, 2) === 'de' ? 'de' : 'en';
  document.title = `${texts.title} · Tidings`;
}

type ActionButton = readonly [label: string, action: Action, kind: string | null];

/** Buttons are replaced, so the keyboard's focus moves to the first new one. */
function show(text: string, buttons: readonly ActionButton[]): void {
  if (!message || !actions) return;
  const hadFocus = actions.contains(document.activeElement);
  message.textContent = text;
  actions.replaceChildren(
    ...buttons.map(([label, action, kind], index) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = label;
      button.className = index === 0 ? '' : 'secondary';
      button.addEventListener('click', () => void run(action, kind));
      return button;
    }),
  );
  if (hadFocus) actions.querySelector('button')?.focus();
}

void run('show', link.get('kind'));
