const NEVER_500 = 'The service fails with 500; a request never makes the embedded one fail.';
const DOTS = 'The message of the service contains the folder on its disk.';
const CDN =
  'The recorded service has no CDN; a hosted project has one, whose purge the embedded service confirms.';
const RACE =
  'The service asks for the bucket and the object at once, and reports the one that it misses first.';
const UNKNOWN_ROLE =
  'The service fails with 500 for a role that does not exist; the embedded one treats it as anonymous.';
const SUPERUSER =
  'The recorded service logs in as a superuser, so a token may name any role; in a project only those of the API.';
const ORDER = 'The order of removed rows is that of a plan of PostgreSQL.';

const all = (reason: string, ids: readonly string[]): (readonly [string, string])[] =>
  ids.map((id) => [id, reason]);

/** Recorded requests with responses that the embedded service does not return, with the reason. */
export const STORAGE_EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ...all(NEVER_500, ['B193', 'L427', 'L457', 'L458', 'L478', 'O031', 'O703', 'S036', 'Y057']),
  ...all('The service cannot read a limit above 2^31, which is above its own maximum.', ['L419', 'L421']),
  ...all(DOTS, ['G361', 'G370', 'G372', 'G381', 'G383', 'G392', 'G394', 'G403', 'X021', 'Y055']),
  ...all(CDN, ['O614', 'O618', 'O622', 'O626']),
  ...all(RACE, ['O349', 'O351']),
  ...all(UNKNOWN_ROLE, ['X706']),
  ...all(SUPERUSER, ['X714']),
  ...all('Fastify matches an empty id of a bucket, which no client sends.', ['X644', 'X646']),
  ...all(ORDER, ['G442']),
  ['B059', 'Analytics buckets are not part of the embedded service.'],
  ['B273', 'The lifecycle of versions is newer than the recorded service.'],
  ['G583', 'Everybody can sign with the secret of local projects, so a link signed by it opens nothing.'],
  [
    'O141',
    'The service notices that the connection ends before the form; the embedded one reads the body first.',
  ],
]);
