/** The import rules of the architecture, checked. See docs/architecture.md. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'src-never-imports-local-supabase',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^local-supabase/' },
    },
    {
      name: 'local-supabase-never-imports-src',
      severity: 'error',
      from: { path: '^local-supabase/' },
      to: { path: '^src/' },
    },
    {
      name: 'src-never-imports-tests',
      severity: 'error',
      from: { path: '^(src|local-supabase)/' },
      to: { path: '^test/' },
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
      name: 'features-do-not-know-each-other',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    {
      name: 'only-main-imports-app',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(entry\\.ts|main\\.tsx|app/)' },
      to: { path: '^src/app/' },
    },
    {
      name: 'only-app-imports-features',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(entry\\.ts|main\\.tsx|app/|features/)' },
      to: { path: '^src/features/' },
    },
    {
      name: 'shared-is-for-app-and-features',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(entry\\.ts|main\\.tsx|app/|features/|shared/)' },
      to: { path: '^src/shared/' },
    },
    {
      name: 'ui-is-for-app-features-and-shared',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(entry\\.ts|main\\.tsx|app/|features/|shared/|ui/)' },
      to: { path: '^src/ui/' },
    },
    {
      name: 'clients-only-through-their-entries',
      comment: 'A client is imported by its index or by the entry of a feature that its package exports.',
      severity: 'error',
      from: {
        path: [
          '^src/(app|features|shared|ui|react|main|supabase-clients|lazy-clients|joined-auth)',
          '^examples/',
        ],
      },
      to: {
        path: '^src/(auth|rest|realtime|storage|functions)-client/',
        pathNot:
          '^src/[a-z]+-client/(index|table|features/[a-z0-9-]+|server/server|long-reads/long-reads|share-reads/share-reads|live-query/live-query|tabs/shared-socket|broadcast/broadcast|broadcast/buffer|broadcast/http-broadcast|presence/presence|changes/(database-broadcast|postgres-changes))\\.ts$',
      },
    },
    {
      name: 'application-imports-public-entries',
      comment:
        'What is installed is what runs: the application and the examples import what the package exports.',
      severity: 'error',
      from: { path: '^(src/(app|features|shared|ui)/|src/(main|entry)\\.|examples/)' },
      to: {
        path: '^src/(platform|react|testing|[a-z-]+\\.ts$)',
        pathNot:
          '^src/((platform|react|testing)/index|platform/worker-clock|(supabase|lazy|server)-clients|main|entry|database\\.types)\\.tsx?$',
      },
    },
    {
      name: 'consumers-import-the-package',
      comment: 'Programs of test/consumers stand for installed ones.',
      severity: 'error',
      from: { path: '^test/consumers/(?!support/|runtimes/.*\\.runtime\\.ts|runtimes/vitest)[^/]+/' },
      to: { path: '^(src|local-supabase|scripts)/' },
    },
    {
      name: 'ui-is-presentational',
      severity: 'error',
      from: { path: '^src/ui/' },
      to: { path: '^src/', pathNot: '^src/ui/' },
    },
    {
      name: 'errors-import-nothing',
      severity: 'error',
      from: { path: '^src/[a-z]+-client/errors\\.ts$' },
      to: { path: '.' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
