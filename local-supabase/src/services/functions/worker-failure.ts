/** Why a function did not respond: it did not start, it ended, or it exceeded the time or memory limit. */
export type WorkerFailureKind = 'boot' | 'crash' | 'limit';

/** A function did not respond. The message is the reason. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
  readonly kind: WorkerFailureKind;

  constructor(kind: WorkerFailureKind, reason: string) {
    super(reason);
    this.kind = kind;
  }
}

/** The responses of the vendor's relay: status, code and text. */
const responses: Readonly<Record<WorkerFailureKind, readonly [number, string, string]>> = {
  boot: [503, 'BOOT_ERROR', 'Worker failed to boot (please check logs)'],
  crash: [500, 'WORKER_ERROR', 'Function exited due to an error (please check logs)'],
  limit: [546, 'WORKER_LIMIT', 'Worker failed to respond due to a resource limit (please check logs)'],
};

/** The response of the vendor's relay, with the reason appended to its text. */
export function failureResponse({ kind, message: reason }: WorkerFailure): Response {
  const [status, code, text] = responses[kind];
  return Response.json(
    { code, message: `${text}: ${reason}` },
    { status, headers: { 'sb-error-code': code } },
  );
}
