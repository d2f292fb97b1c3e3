/** Why a function gave no answer: it did not start, it ended, or it took too long or too much memory. */
export type WorkerFailureKind = 'boot' | 'crash' | 'limit';

/** A function gave no answer. Its message is the reason. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
  readonly kind: WorkerFailureKind;

  constructor(kind: WorkerFailureKind, reason: string) {
    super(reason);
    this.kind = kind;
  }
}

/** Status, code and text of the vendor's relay. */
const answers: Readonly<Record<WorkerFailureKind, readonly [number, string, string]>> = {
  boot: [503, 'BOOT_ERROR', 'Worker failed to boot (please check logs)'],
  crash: [500, 'WORKER_ERROR', 'Function exited due to an error (please check logs)'],
  limit: [546, 'WORKER_LIMIT', 'Worker failed to respond due to a resource limit (please check logs)'],
};

/** The answer of the vendor's relay, with the reason behind its text. */
export function answerFailure({ kind, message: reason }: WorkerFailure): Response {
  const [status, code, text] = answers[kind];
  return Response.json(
    { code, message: `${text}: ${reason}` },
    { status, headers: { 'sb-error-code': code } },
  );
}
