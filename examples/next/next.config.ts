import type { NextConfig } from 'next';

// Everything is rendered ahead except what waits within <Suspense>.
const config: NextConfig = { cacheComponents: true, partialPrefetching: true };
export default config;
