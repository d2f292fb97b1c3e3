import {
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type ChangeEvent,
  type SubmitEvent,
} from 'react';

export type FieldErrors<Name extends string> = { readonly [Key in Name]?: string | undefined };

/** Why a submit failed; an object without texts shows nothing. */
export interface FormProblem<Name extends string> {
  readonly fields?: FieldErrors<Name>;
  readonly message?: string;
  /** Seconds until the server accepts it again. */
  readonly retryAfterSeconds?: number;
}

export interface FormOptions<Name extends string> {
  readonly initial: Readonly<Record<Name, string>>;
  /** Returns the error text of each invalid field. Runs on blur, then on every change, and on submit. */
  readonly validate: (values: Readonly<Record<Name, string>>) => FieldErrors<Name>;
  /** Sends the values; resolves with the server's error, if any. Must not throw. */
  readonly submit: (values: Readonly<Record<Name, string>>) => Promise<FormProblem<Name> | undefined>;
}

export interface FieldBinding {
  readonly name: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (event: ChangeEvent<HTMLInputElement>) => void;
  readonly onBlur: (event: FocusEvent<HTMLInputElement>) => void;
}

export interface Form<Name extends string> {
  readonly values: Readonly<Record<Name, string>>;
  readonly pending: boolean;
  /** The error of the form as a whole. */
  readonly problem: string | undefined;
  /** When (epoch milliseconds) the server accepts the next attempt; null: now. */
  readonly retryAtMs: number | null;
  /** Spread on `<form>`. */
  readonly props: {
    readonly ref: React.RefObject<HTMLFormElement | null>;
    readonly noValidate: true;
    readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  };
  /** Spread on a field. */
  readonly field: (name: Name) => FieldBinding;
  readonly set: (name: Name, value: string) => void;
  readonly reset: () => void;
}

interface FormState<Name extends string> {
  readonly values: Readonly<Record<Name, string>>;
  /** Fields that were blurred once, and so are validated on every change. */
  readonly visited: ReadonlySet<string>;
  readonly server: FieldErrors<Name>;
  readonly problem: string | undefined;
  readonly pending: boolean;
  readonly retryAtMs: number | null;
  /** Number of failed submits; each one moves the focus to the first invalid field. */
  readonly failures: number;
}

/** A form with a submit button that is always enabled, and with errors at their fields. */
export function useForm<Name extends string>(options: FormOptions<Name>): Form<Name> {
  const { initial, validate, submit } = options;
  const ref = useRef<HTMLFormElement>(null);
  const { state, patch, set, visit, fail } = useFormState(initial);

  // Move the focus in the frame that shows the error text.
  useLayoutEffect(() => {
    if (state.failures > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [state.failures]);

  const local = validate(state.values);
  const send = async (values: Readonly<Record<Name, string>>) => {
    // Fields that this submit reveals are not validated yet.
    const { elements } = ref.current ?? {};
    const names = new Set(Object.keys(values).filter((name) => elements?.namedItem(name)));
    patch({ values, visited: names, server: {}, problem: undefined, retryAtMs: null });
    if (Object.values(validate(values)).some(Boolean)) return fail({});
    patch({ pending: true });
    const problem = await submit(values);
    if (problem) {
      const { fields = {}, message, retryAfterSeconds } = problem;
      const retryAtMs = retryAfterSeconds ? Date.now() + retryAfterSeconds * 1000 : null;
      return fail({ server: fields, problem: message, retryAtMs });
    }
    patch({ pending: false });
  };

  return {
    values: state.values,
    pending: state.pending,
    problem: state.problem,
    retryAtMs: state.retryAtMs,
    props: {
      ref,
      noValidate: true,
      onSubmit(event) {
        event.preventDefault();
        if (!state.pending) void send(readValues(event.currentTarget, state.values));
      },
    },
    field: (name) => ({
      name,
      value: state.values[name],
      error: (state.visited.has(name) ? local[name] : undefined) ?? state.server[name],
      onChange: (event) => set(name, event.currentTarget.value),
      onBlur(event) {
        // An empty field that was only tabbed through is not an error yet.
        if (event.currentTarget.value !== '') afterPointer(() => visit(name));
      },
    }),
    set,
    reset: () => patch(pristine(initial)),
  };
}

function useFormState<Name extends string>(initial: Readonly<Record<Name, string>>) {
  const [state, setState] = useState<FormState<Name>>(() => pristine(initial));
  return {
    state,
    patch: (change: Partial<FormState<Name>>) => setState((current) => ({ ...current, ...change })),
    set: (name: Name, value: string) =>
      setState((current) => ({
        ...current,
        values: { ...current.values, [name]: value },
        server: { ...current.server, [name]: undefined },
      })),
    visit: (name: Name) =>
      setState((current) => ({ ...current, visited: new Set([...current.visited, name]) })),
    fail: (change: Partial<FormState<Name>>) =>
      setState((current) => ({ ...current, pending: false, ...change, failures: current.failures + 1 })),
  };
}

function pristine<Name extends string>(values: Readonly<Record<Name, string>>): FormState<Name> {
  return {
    values,
    visited: new Set(),
    server: {},
    problem: undefined,
    pending: false,
    retryAtMs: null,
    failures: 0,
  };
}

/** Reads the DOM: a password manager may have filled fields without an input event. */
function readValues<Name extends string>(form: HTMLFormElement, known: Readonly<Record<Name, string>>) {
  const data = new FormData(form);
  const entries = Object.entries<string>(known).map(([name, value]) => {
    const entered = data.get(name);
    return [name, typeof entered === 'string' ? entered : value] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}

let isPointerDown = false;

if (typeof document !== 'undefined') {
  const trackPointer = ({ type }: PointerEvent) => {
    isPointerDown = type === 'pointerdown';
  };
  for (const type of ['pointerdown', 'pointerup', 'pointercancel'] as const)
    document.addEventListener(type, trackPointer, true);
}

/**
 * Runs `task` at once, or, while a pointer is down, after its click: a layout shift under a pressed button would cancel
 * the click.
 */
function afterPointer(task: () => void): void {
  if (!isPointerDown) return task();
  document.addEventListener('pointerup', () => setTimeout(task), { once: true });
}
