/** Whom watches tell, by the settings: files in the data folder, and the operator's webhook. */
import { join } from 'node:path';
import { WebhookSender } from '../../client/webhook.ts';
import type { WatchOutlets } from '../../gateway/watching.ts';
import type { Settings } from '../config/load.ts';

/** Connects nowhere yet. */
export function watchOutlets(settings: Settings): WatchOutlets {
  const { dataDir, watchWebhook: url, watchWebhookSecret: secret, watchWebhookRows: rows = false } = settings;
  const port = url === undefined || secret === undefined ? undefined : new WebhookSender({ url, secret });
  return { feedFolder: join(dataDir, 'watches'), webhook: port && { port, rows } };
}
