import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useConsumer } from './support/consumer.ts';

const consumer = useConsumer('programs', ['@types/node', '@types/react', 'csstype', 'hono', 'react']);

it.each(['repository.ts', 'compat-types.ts', 'next-app.tsx', 'react-native.tsx', 'hono-api.ts'])(
  '%s has types from the declarations alone, under strict options and without skipLibCheck',
  async (file) => {
    await expect(consumer().compile([file])).resolves.toBeUndefined();
  },
  120_000,
);

it('CommonJS programs get types although a declaration uses those of a package of ES modules', async () => {
  const entry = 'supabase-protocol-clients/auth-client/claims';
  const program = `import entry = require('${entry}');\nexport type Claims = ReturnType<typeof entry.createClaims>;\n`;
  await writeFile(join(consumer().folder, 'claims.cts'), program);
  await expect(consumer().compile(['claims.cts'])).resolves.toBeUndefined();
}, 120_000);
