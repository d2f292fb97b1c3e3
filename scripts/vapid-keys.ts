import webPush from 'web-push';
import { openDataFolder } from 'local-supabase';
import type { VapidKeys } from 'local-supabase';

/**
 * Loads the VAPID keys of a data folder; a new folder gets a pair. Browsers bind a subscription to the public key, so
 * the pair stays the same from start to start.
 *
 * @throws {StartError} if the folder is not writable or in use, or the file is corrupt.
 */
export function loadVapidKeys(dataDir: string): VapidKeys {
  const folder = openDataFolder(dataDir);
  try {
    const saved = folder.vapidKeys.load();
    if (saved) return saved;
    const keys = webPush.generateVAPIDKeys();
    folder.vapidKeys.save(keys);
    return keys;
  } finally {
    folder.release();
  }
}
