import type { NextConfig } from 'next';

// Everything is prerendered except the content of <Suspense>.
const config: NextConfig = { cacheComponents: true, partialPrefetching: true };
export default config;
