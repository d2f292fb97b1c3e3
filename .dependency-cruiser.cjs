/** The import rules of the architecture, checked. See docs/architecture.md. */
const library = '^src/(?!inbox/)';
const inbox = '^src/inbox/';

/** The rooms of a part, in order: a room imports only rooms to its right. */
const roomsInOrder = {
  src: 'inbox testing react compat clients storage-client functions-client rest-client realtime-client auth-client platform',
  'src/auth-client': 'admin features server calls callback refresh session storage webauthn wire',
  'src/rest-client': 'share-reads long-reads results wire query types',
  'src/realtime-client': 'tabs live-query presence broadcast changes channel socket protocol machine',
  'local-supabase/src':
    'entries command server project services mail postgres-port http keys database platform',
  'local-supabase/src/services/auth':
    'verification sso oauth-server grants web3 oauth test-provider admin users passkeys factors webauthn sessions mail hooks rows http',
  'local-supabase/src/services/rest': 'sql answer plan request grammar catalog',
  'local-supabase/src/services/realtime': 'socket channel changes subscription',
  'conformance/src': 'reports runner audits clients schema audit target',
  'conformance/src/audits': 'any-client storage functions realtime rest auth',
  'src/inbox/features/account': 'second-factor passkeys email devices data proof',
  'src/inbox/features/auth': 'sign-up reset-password sign-in email-links',
  'src/inbox/features/notifications':
    'bell screen snooze detail sample list senders times search actions arrivals texts data model',
  'src/inbox/shared': 'sender-controls auth-problem clients outbox',
  'src/inbox/ui': 'overlay form password-strength page state',
};

/** The rooms to the left of each room are forbidden to it, and so is a room that the table lacks. */
const roomRules = Object.entries(roomsInOrder).flatMap(([part, order]) => {
  const rooms = order.split(' ');
  return rooms.map((room, index) => ({
    name: `${part}/${room}-imports-no-room-above-it`,
    severity: 'error',
    from: { path: `^${part}/${room}/` },
    to: { path: `^${part}/(?!(${rooms.slice(index).join('|')})/)[^/]+/` },
  }));
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A dictionary names its German file, which imports the type of the dictionary.',
      severity: 'error',
      from: { pathNot: '-texts(\\.de)?\\.ts$' },
      to: { circular: true },
    },
    ...roomRules,
    {
      name: 'library-knows-no-other-part',
      severity: 'error',
      from: { path: library },
      to: { path: '^(src/inbox|local-supabase|conformance|supabase|scripts|test)/' },
    },
    {
      name: 'inbox-imports-the-package',
      comment:
        'What is installed is what runs: the application and the examples import what the package exports.',
      severity: 'error',
      from: { path: [inbox, '^examples/'] },
      to: { path: library, dependencyTypesNot: ['aliased-workspace', 'undetermined'] },
    },
    {
      name: 'inbox-knows-no-other-part',
      severity: 'error',
      from: { path: inbox },
      to: { path: '^(local-supabase|conformance|supabase|scripts|test)/' },
    },
    {
      name: 'local-supabase-knows-no-other-part',
      comment: 'A shared encoder would let a fault agree with itself.',
      severity: 'error',
      from: { path: '^local-supabase/(src|bin)/' },
      to: { path: '^(src|conformance|supabase|scripts|test)/' },
    },
    {
      name: 'services-do-not-know-each-other',
      severity: 'error',
      from: { path: '^local-supabase/src/services/([^/]+)/' },
      to: { path: '^local-supabase/src/services/', pathNot: '^local-supabase/src/services/$1/' },
    },
    {
      name: 'core-runs-anywhere',
      comment: 'The services of the emulator run in a browser, too: what only Node has is injected.',
      severity: 'error',
      from: { path: '^local-supabase/src/(server/core|entries/(?:worker|browser))\\.ts$' },
      to: {
        reachable: true,
        path: [
          '^[^/.]+$',
          '^(fs|timers|stream|util|path)/',
          'node_modules/(ws|nodemailer|smtp-server|pg|tsx|deno)/',
        ],
      },
    },
    {
      name: 'inbox-sender-knows-the-library-only',
      severity: 'error',
      from: { path: '^inbox-sender/src/' },
      to: { path: '^(local-supabase|conformance|supabase|scripts|test|src/inbox)/' },
    },
    {
      name: 'conformance-knows-no-other-part',
      comment: 'Audits drive clients as an installed package.',
      severity: 'error',
      from: { path: '^conformance/src/' },
      to: {
        path: '^(src|local-supabase|supabase|scripts|test)/',
        dependencyTypesNot: ['aliased-workspace', 'undetermined'],
      },
    },
    {
      name: 'workspaces-only-through-their-doors',
      severity: 'error',
      from: { path: '^(src|conformance|scripts|test|examples)/' },
      to: { path: '^local-supabase/', dependencyTypesNot: ['aliased-workspace', 'undetermined'] },
    },
    {
      name: 'no-vendor-sdk',
      comment: 'The clients are ours; the vendor is a peer in tests and benches only.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/@supabase/' },
    },
    {
      name: 'clients-know-only-the-platform',
      severity: 'error',
      from: { path: '^src/((?:auth|rest|realtime|storage|functions)-client)/' },
      to: { path: '^src/', pathNot: ['^src/platform/', '^src/$1/'] },
    },
    {
      name: 'platform-imports-nothing-else',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/', pathNot: '^src/platform/' },
    },
    {
      // The tables of statuses and of numeric options and the words of user-changed have one home for all clients.
      name: 'errors-import-only-what-clients-share',
      severity: 'error',
      from: { path: '^src/[a-z]+-client/errors\\.ts$' },
      to: { path: '.', pathNot: '^src/platform/(call-user|number-options|retry)\\.ts$' },
    },
    {
      name: 'features-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/inbox/features/([^/]+)/' },
      to: { path: '^src/inbox/features/', pathNot: '^src/inbox/features/$1/' },
    },
    {
      name: 'only-main-imports-app',
      severity: 'error',
      from: { path: inbox, pathNot: '^src/inbox/(entry\\.ts|main\\.tsx|app/)' },
      to: { path: '^src/inbox/app/' },
    },
    {
      name: 'only-app-imports-features',
      severity: 'error',
      from: { path: inbox, pathNot: '^src/inbox/(entry\\.ts|main\\.tsx|app/|features/)' },
      to: { path: '^src/inbox/features/' },
    },
    {
      name: 'shared-is-for-app-and-features',
      severity: 'error',
      from: { path: inbox, pathNot: '^src/inbox/(entry\\.ts|main\\.tsx|app/|features/|shared/)' },
      to: { path: '^src/inbox/shared/' },
    },
    {
      name: 'ui-is-presentational',
      severity: 'error',
      from: { path: '^src/inbox/ui/' },
      to: { path: '^src/', pathNot: '^src/(inbox/ui|platform)/' },
    },
    {
      name: 'consumers-import-the-package',
      comment: 'Programs of test/consumers stand for installed ones.',
      severity: 'error',
      from: { path: '^test/consumers/(?!support/|runtimes/.*\\.runtime\\.ts|runtimes/vitest)[^/]+/' },
      to: {
        path: '^(src|local-supabase|scripts)/',
        dependencyTypesNot: ['aliased-workspace', 'undetermined'],
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
