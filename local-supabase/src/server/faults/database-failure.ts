import type { FaultRule } from './fault-rule.ts';

/** The responses of the services while PostgreSQL is unreachable. */
export const databaseFailureRules: readonly FaultRule[] = [
  {
    path: '/rest/v1/',
    response: {
      status: 503,
      headers: { 'proxy-status': 'PostgREST; error=PGRST001' },
      body: {
        code: 'PGRST001',
        message: 'Database client error. Retrying the connection.',
        details: 'could not connect to server: Connection refused',
        hint: null,
      },
    },
  },
  {
    // The health, settings and key set routes of the auth service need no database.
    path: /^\/auth\/v1\/(?!health|settings|\.well-known)/,
    response: {
      status: 500,
      body: { code: 500, error_code: 'unexpected_failure', msg: 'Database error querying schema' },
    },
  },
  {
    path: '/storage/v1/',
    response: {
      status: 500,
      body: { statusCode: '500', error: 'DatabaseError', message: 'The database is not available' },
    },
  },
];
